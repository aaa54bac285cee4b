#include "app/command.h"
#include "app/open_run.h"
#include "app/sheet_output.h"
#include "base/check.h"
#include "base/parallel.h"
#include "explain/example.h"
#include "explain/small_examples.h"
#include "run/worked_sheets.h"
#include "system/printable.h"
#include "text/typed_text.h"

namespace zhuyi {
namespace {

class ExplainCommand : public Command {
  public:
    ExplainCommand()
        : Command("explain",
                  "RUN --text 文字 [--layer 0 --head 0 --query 5]  |  --example "
                  "[attention|dot|query|softmax]",
                  {"work through every number, from characters to gradients",
                   "逐步演算每个数：从文字到注意力，再到梯度"}) {}

    void declare(Options& options) override;
    int run(const std::vector<std::string>& words, const Options& options,
            Language language) override;

  private:
    void check(const std::vector<std::string>& words, const Options& options) const;
    Sheet example(const std::vector<std::string>& words) const;
    Sheet of_run(const LoadedRun& run) const;

    bool example_ = false, causal_ = false, backward_ = false;
    Index heads_ = 1, threads_ = 0;
    WorkedPlace place_;
    std::string text_, compare_, target_, checkpoint_ = "best";
    SheetOutput output_;
};

void ExplainCommand::declare(Options& options) {
    options.group({"what to follow", "看哪里"});
    options.add("text", text_, "", {"what the model reads", "让模型读的文字"});
    options.add("layer", place_.layer, "", {"block, from 0", "第几层，从 0 数起"});
    options.add("head", place_.head, "", {"head of it, from 0", "其中第几个头，从 0 数起"});
    options.add("query", place_.query, "",
                {"position of the character that asks, from 0; -1: the last",
                 "查询（Query）的位置，从 0 数起；-1 表示最后一个"},
                -1);
    options.add("compare", compare_, "",
                {"another text with the same character: how context parts its two vectors",
                 "另一段含有同一个字的文字：看上下文怎样把两个向量分开"});
    options.add("backward", backward_,
                {"go on from the loss back to the weights, and through the optimizer",
                 "接着反向传播：从损失求到权重的梯度，再由优化器更新一次"});
    options.add(
        "target", target_, "",
        {"backward: the character that should follow the text; none: the text's own last one",
         "反向传播的目标：下一个字；不写则以最后一个字为目标"});
    declare_checkpoint(options, checkpoint_);
    declare_threads(options, threads_);
    options.group({"the course's examples", "课程的例子"});
    options.add("example", example_,
                {"instead of a run: attention (猫 吃 鱼), dot, query or softmax",
                 "不看模型，演算例子：attention（猫 吃 鱼）、dot、query 或 softmax"});
    options.add("causal", causal_, {"example: with the causal mask", "例子：加上因果掩码"});
    options.add("heads", heads_, "", {"example: 1, or 2 with d = 4", "例子：1，或 d = 4 的 2 个头"},
                1, 2);
    output_.declare(options);
}

Sheet ExplainCommand::example(const std::vector<std::string>& words) const {
    const std::string which = words.empty() ? "attention" : words[0];
    if (words.size() > 1)
        fail_usage({"--example takes one name; found also %s", "--example 只取一个名字；多出了 %s"},
                   in_quotes(words[1]));
    if (which == "attention")
        return example_sheet(worked_example(heads_, causal_ ? Mask::causal : Mask::none));
    if (which == "dot") return dot_sheet(worked_dot());
    if (which == "query") return query_sheet(worked_query());
    if (which == "softmax") return softmax_sheet(worked_softmax());
    fail_usage({"there is no example %s; there are attention, dot, query and softmax",
                "没有名为 %s 的例子；有 attention、dot、query 和 softmax"},
               in_quotes(which));
}

void ExplainCommand::check(const std::vector<std::string>& words, const Options& options) const {
    only_word(words, {"one RUN and a text, or --example", "一个训练目录和一段文字，或 --example"},
              "zhuyi explain runs/stories --text 小沈阳江西演唱会");
    for (const char* name : {"heads", "causal"})
        if (options.was_set(name))
            fail_usage({"--%s belongs to --example; a run has its own",
                        "--%s 只用于 --example；训练好的模型有自己的设置"},
                       name);
    if (!backward_ && options.was_set("target"))
        fail_usage({"--target belongs to --backward: the character that should follow",
                    "--target 只用于 --backward：下一个字应该是什么"});
    if (backward_ && !compare_.empty())
        fail_usage({"--compare and --backward are two sheets: take one at a time",
                    "--compare 和 --backward 是两张不同的演算表：一次只能用一个"});
}

int ExplainCommand::run(const std::vector<std::string>& words, const Options& options,
                        Language language) {
    if (!example_) check(words, options);
    set_thread_count(int(threads_));
    output_.write(example_ ? example(words) : of_run(open_run(words[0], checkpoint_, language)),
                  language);
    return 0;
}

Sheet ExplainCommand::of_run(const LoadedRun& run) const {
    // with --backward and no target, the text's last token is only predicted
    const Index context = run.config.model.context + (backward_ && target_.empty());
    std::vector<Token> ids = typed_text(*run.tokenizer, text_, context, "--text");
    if (!compare_.empty())
        return comparison_sheet(
            run, ids, typed_text(*run.tokenizer, compare_, context, "--compare"), place_.query);
    if (!backward_) return forward_sheet(run, ids, place_);
    if (!target_.empty()) ids.push_back(single_token(*run.tokenizer, target_));
    if (ids.size() < 2)
        fail_usage({"--backward: a text of one token predicts nothing; add --target 字",
                    "--backward：只有一个 token 的文字没有可预测的；请加上 --target 字"});
    return backward_sheet(run, ids, place_);
}

}  // namespace

std::unique_ptr<Command> explain_command() { return std::make_unique<ExplainCommand>(); }

}  // namespace zhuyi
