#include "app/command.h"
#include "app/shared.h"
#include "base/check.h"
#include "base/parallel.h"
#include "explain/examples.h"
#include "explain/forward.h"
#include "run/worked_sheets.h"
#include "system/printable.h"
#include "text/tokenizer.h"

namespace zhuyi {
namespace {

// A sheet without a main path of its own.
WorkedSheets alone(const Sheet& sheet) { return {sheet, sheet}; }

class ExplainCommand : public Command {
  public:
    ExplainCommand()
        : Command("explain",
                  "RUN --text 文字 [--layer 0 --head 0 --query 5]  |  --example "
                  "[attention|dot|query|softmax]",
                  {"work through every number, from characters to gradients",
                   "逐步演算每个数：从文字到注意力，再到梯度"}) {}

    void declare(Options& options) override;
    int run(const std::vector<std::string>& words, const Options& options) override;

  private:
    void check(const std::vector<std::string>& words, const Options& options) const;
    Sheet example(const std::vector<std::string>& words) const;
    WorkedSheets of_run(const LoadedRun& run) const;
    Sheet chosen(const WorkedSheets& sheets) const;

    bool example_ = false, printed_ = false, causal_ = false, backward_ = false, why_ = false;
    Index heads_ = 1, threads_ = 0, query_ = -1;
    std::string text_, compare_, target_, sheets_, layer_ = "0", head_ = "0", checkpoint_ = "best";
    SheetOutput output_;
};

void ExplainCommand::declare(Options& options) {
    options.group({"what to follow", "看哪里"});
    options.add("text", text_, "", {"what the model reads", "让模型读的文字"});
    options.add("layer", layer_, "", {"which block, counted from 0", "第几层，从 0 数起"});
    options.add("head", head_, "", {"which head of it, counted from 0", "其中第几个头，从 0 数起"});
    options.add("query", query_, "",
                {"position of the character that asks, counted from 0; -1: the last one",
                 "查询（Query）的位置，从 0 数起；-1 表示最后一个"},
                -1);
    options.add("compare", compare_, "",
                {"another text with the same character: how context parts their vectors",
                 "另一段含有同一个字的文字：看上下文怎样把两个向量分开"});
    options.add("why", why_,
                {"why this prediction: what each earlier character, block, head and FFN does",
                 "为什么这样预测：前面每个字、每层、每个头、每个 FFN 的作用"});
    options.add("backward", backward_,
                {"go on from the loss back to the weights, and through the optimizer",
                 "接着反向传播：从损失求到权重的梯度，再由优化器更新一次"});
    options.add("target", target_, "",
                {"with --backward and --why: the character that should follow; without it the next "
                 "one of the text (with --why, at the end of the text, the likeliest one)",
                 "--backward、--why 的目标：下一个字；不写则用文字里的下一个字（--why 在句末取概率"
                 "最大的）"});
    options.add(
        "sheets", sheets_, "",
        {"which sheets to print: all, or some by number or name (5,8-10,softmax); without it the "
         "main path alone, at most 45 lines",
         "all（全部演算表），或其中几张的编号或名字（5,8-10,softmax）；不写则只列主线，不超过 45 "
         "行"});
    declare_checkpoint(options, checkpoint_);
    declare_threads(options, threads_);
    options.group({"the course's examples", "课程的例子"});
    options.add("example", example_,
                {"instead of a run: attention (猫 吃 鱼), dot, query or softmax",
                 "不看模型，演算例子：attention（猫 吃 鱼）、dot、query 或 softmax"});
    options.add("printed", printed_,
                {"example: the tutorial's printed table beside the right one, step by step",
                 "例子：教程里印的表与正确的表，逐步对照"});
    options.add("causal", causal_, {"example: with the causal mask", "例子：加上因果掩码"});
    options.add("heads", heads_, "", {"example: 1 or 2 heads", "例子：1 个或 2 个头"}, 1, 2);
    output_.declare(options);
}

Sheet ExplainCommand::example(const std::vector<std::string>& words) const {
    if (words.size() > 1)
        fail_usage({"--example takes one name; found also %s", "--example 只取一个名字；多出了 %s"},
                   in_quotes(words[1]));
    if (printed_) return printed_sheet();
    return example_named(words.empty() ? "attention" : words[0], heads_,
                         causal_ ? Mask::causal : Mask::none);
}

void ExplainCommand::check(const std::vector<std::string>& words, const Options& options) const {
    only_word(words, {"one RUN and a text, or --example", "一个训练目录和一段文字，或 --example"},
              "zhuyi explain runs/village --text 小沈阳江西演唱会");
    for (const char* name : {"heads", "causal", "printed"})
        if (options.was_set(name))
            fail_usage({"--%s belongs to --example; a run has its own",
                        "--%s 只用于 --example；训练好的模型有自己的设置"},
                       name);
    if (!backward_ && !why_ && options.was_set("target"))
        fail_usage(
            {"--target belongs to --backward and --why", "--target 只用于 --backward 和 --why"});
    if (int(backward_) + int(why_) + int(!compare_.empty()) > 1)
        fail_usage({"--compare, --backward and --why are different sheets: take one at a time",
                    "--compare、--backward、--why 是不同的演算表：一次只能用一个"});
}

int ExplainCommand::run(const std::vector<std::string>& words, const Options& options) {
    if (!example_) check(words, options);
    set_thread_count(int(threads_));
    output_.write(
        chosen(example_ ? alone(example(words)) : of_run(open_run(words[0], checkpoint_))));
    return 0;
}

WorkedSheets ExplainCommand::of_run(const LoadedRun& run) const {
    // with --backward and no target, the text's last token is only predicted
    tell_unseen(*run.tokenizer, text_ + compare_);
    const Index context = run.config.model.context + (backward_ && target_.empty());
    std::vector<Token> ids = typed_text(*run.tokenizer, text_, context, "--text");
    if (!compare_.empty())
        return alone(compare_sheet(worked_model(run), ids,
                                   typed_text(*run.tokenizer, compare_, context, "--compare"),
                                   query_));
    const GptConfig& config = run.config.model;
    const Focus focus{block_number(layer_, config.layers), head_number(head_, config.heads),
                      query_};
    const Token target = target_.empty() ? Token(-1) : single_token(*run.tokenizer, target_);
    if (why_) return alone(why_sheet(worked_model(run), ids, focus, target));
    if (!backward_) return forward_sheets(run, ids, focus);
    if (target >= 0) ids.push_back(target);
    if (ids.size() < 2)
        fail_usage({"--backward: a text of one token predicts nothing; add --target 字",
                    "--backward：只有一个 token 的文字没有可预测的；请加上 --target 字"});
    return backward_sheets(run, ids, focus);
}

// The main path, all sheets, or those of --sheets.
Sheet ExplainCommand::chosen(const WorkedSheets& sheets) const {
    if (sheets_.empty()) return output_.wants_all() ? sheets.whole : sheets.path;
    return sheets_ == "all" ? sheets.whole : chosen_sheets(sheets.whole, sheets_);
}

}  // namespace

std::unique_ptr<Command> explain_command() { return std::make_unique<ExplainCommand>(); }

}  // namespace zhuyi
