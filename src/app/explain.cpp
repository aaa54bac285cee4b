#include "app/command.h"
#include "app/sheet_output.h"
#include "base/check.h"
#include "base/format.h"
#include "base/parallel.h"
#include "explain/sheet_backward.h"
#include "explain/sheet_compare.h"
#include "explain/sheet_example.h"
#include "explain/sheet_forward.h"
#include "run/open_run.h"
#include "system/printable.h"
#include "train/checkpoint.h"

namespace zhuyi {
namespace {

class ExplainCommand : public Command {
  public:
    const char* name() const override { return "explain"; }
    const char* usage() const override {
        return "RUN --text 文字 [--layer 0 --head 0 --query 5]  |  --example "
               "[attention|dot|query|softmax]";
    }
    Words summary() const override {
        return {"work through every number, from characters to gradients",
                "逐个数字演算：从字到注意力，再到梯度"};
    }
    void declare(Options& options) override;
    int run(const std::vector<std::string>& words, const Options& options,
            Language language) override;

  private:
    Sheet example(const std::vector<std::string>& words, const Options& options, Language language);

    Sheet of_run(const std::string& path, Language language) const;
    Sheet backward(const LoadedRun& run, Language language) const;

    bool example_ = false, causal_ = false, backward_ = false;
    Index heads_ = 1, threads_ = 0;
    WorkedPlace place_;
    std::string text_, compare_, target_, checkpoint_ = "best";
    SheetOutput output_;
};

void ExplainCommand::declare(Options& options) {
    options.group({"what to follow", "跟着看什么"});
    options.add("text", text_, "", {"what the model reads", "让模型读的文字"});
    options.add("layer", place_.layer, "", {"block, from 0", "第几块，从 0 数起"});
    options.add("head", place_.head, "", {"head of it, from 0", "其中第几个头，从 0 数起"});
    options.add("query", place_.query, "",
                {"position of the character that asks, from 0; -1: the last",
                 "提问的字的位置，从 0 数起；-1 表示最后一个"},
                -1);
    options.add("compare", compare_, "",
                {"another text with the same character: how context parts its two vectors",
                 "另一段含有同一个字的文字：看上下文怎样把两个向量分开"});
    options.add("backward", backward_,
                {"go on from the loss back to the weights, and through AdamW",
                 "接着从损失往回走到权重，再经过 AdamW"});
    options.add(
        "target", target_, "",
        {"backward: the character that should follow the text; none: the text's own last one",
         "反向：文字后面应该出现的字；不写就用文字自己的最后一个字"});
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

Sheet ExplainCommand::example(const std::vector<std::string>& words, const Options&,
                              Language language) {
    const std::string which = words.empty() ? "attention" : words[0];
    if (words.size() > 1)
        fail_usage_english("--example takes one name; found also " + in_quotes(words[1]));
    if (which == "attention")
        return example_sheet(worked_example(heads_, causal_ ? Mask::causal : Mask::none), language);
    if (which == "dot") return dot_sheet(worked_dot(), language);
    if (which == "query") return query_sheet(worked_query(), language);
    if (which == "softmax") return softmax_sheet(worked_softmax(), language);
    fail_usage_english("there is no example " + in_quotes(which) +
                       "; there are attention, dot, query and softmax");
}

int ExplainCommand::run(const std::vector<std::string>& words, const Options& options,
                        Language language) {
    if (example_) {
        output_.write(example(words, options, language), language);
        return 0;
    }
    if (words.size() != 1 || !options.was_set("text"))
        fail_usage_english(
            "explain takes one RUN and a text: zhuyi explain runs/stories --text 小沈阳江西演唱会; "
            "or the course's example: zhuyi explain --example");
    for (const char* name : {"heads", "causal"})
        if (options.was_set(name))
            fail_usage_english(std::string("--") + name +
                               " belongs to --example; a run has its own");
    if (!backward_ && options.was_set("target"))
        fail_usage_english("--target belongs to --backward: the character that should follow");
    if (backward_ && !compare_.empty())
        fail_usage_english("--compare and --backward are two sheets: take one at a time");
    set_thread_count(int(threads_));
    output_.write(of_run(words[0], language), language);
    return 0;
}

// What training made of the token's embedding since step 0, when the run still knows.
std::optional<TrainedRow> trained_row(const LoadedRun& run, Token token) {
    const std::filesystem::path first = run.folder.checkpoint("first");
    if (!std::filesystem::exists(first)) return {};
    Parameters start(parameter_table(run.config.model), false);
    read_checkpoint(first.string(), start);
    const auto row = [&](Parameters& parameters) {
        return Grid(parameters.tensor("embedding.token")).row_copy(token);
    };
    const Numbers before = row(start), now = row(*run.parameters);
    return TrainedRow{run.checkpoint.step, distance(before, now), cosine(before, now)};
}

std::string place_text(const WorkedForward& f, Index step, Language language) {
    const WorkedPlace& place = f.place;
    return format(language == Language::chinese
                      ? "逐个数字演算：第 %td 块，头 %td，位置 %td “%s”，训练第 %td 步"
                      : "Every number: block %td, head %td, position %td %s, step %td",
                  place.layer, place.head, place.query, f.query_token().c_str(), step);
}

Sheet ExplainCommand::of_run(const std::string& path, Language language) const {
    const LoadedRun run = open_run(path, checkpoint_, language);
    if (backward_) return backward(run, language);
    const WorkedModel model{*run.model, *run.parameters, *run.tokenizer};
    const std::vector<Token> ids = tokens_of(*run.tokenizer, text_, run.config.model, "--text");
    if (!compare_.empty())
        return compare_sheet(
            worked_comparison(model, ids,
                              tokens_of(*run.tokenizer, compare_, run.config.model, "--compare"),
                              place_.query),
            language);
    const WorkedForward forward = worked_forward(model, ids, place_);
    SheetWriter writer(language, place_text(forward, run.checkpoint.step, language));
    write_forward(writer, forward, *run.tokenizer,
                  trained_row(run, ids[std::size_t(forward.place.query)]));
    return writer.finish();
}

// The tokens that predict and the ones that are predicted.
std::pair<std::vector<Token>, std::vector<Token>> prediction_pairs(const Tokenizer& tokenizer,
                                                                   const std::string& text,
                                                                   const std::string& target,
                                                                   GptConfig config) {
    config.context += target.empty();  // then the last token is only predicted
    std::vector<Token> ids = tokens_of(tokenizer, text, config, "--text");
    if (!target.empty()) {
        const std::vector<Token> wanted = tokenizer.encode(target);
        if (wanted.size() != 1)
            fail_usage_english(
                format("--target %s: expected one character that has a token of its own, "
                       "found %zu tokens",
                       in_quotes(target).c_str(), wanted.size()));
        ids.push_back(wanted[0]);
    }
    if (ids.size() < 2)
        fail_usage_english("--backward: a text of one token predicts nothing; add --target 字");
    std::vector<Token> targets(ids.begin() + 1, ids.end());
    ids.pop_back();
    return {ids, targets};
}

Sheet ExplainCommand::backward(const LoadedRun& run, Language language) const {
    GptConfig config = run.config.model;
    config.dropout = 0;  // the sheet follows every number; none is dropped
    const auto [ids, targets] = prediction_pairs(*run.tokenizer, text_, target_, config);
    std::vector<Parameter> table = parameter_table(config);
    freeze(table, run.config.train.freeze);
    Parameters parameters(std::move(table), true);
    const Index step = read_checkpoint(run.checkpoint.file, parameters).step;
    Gpt model(config, parameters);
    const WorkedBackward back = worked_backward(
        {{model, parameters, *run.tokenizer}, run.config.train, step}, ids, targets, place_);
    SheetWriter writer(language, place_text(back.forward, step, language));
    write_forward(writer, back.forward, *run.tokenizer,
                  trained_row(run, ids[std::size_t(back.forward.place.query)]));
    write_backward(writer, back);
    return writer.finish();
}

}  // namespace

std::unique_ptr<Command> explain_command() { return std::make_unique<ExplainCommand>(); }

}  // namespace zhuyi
