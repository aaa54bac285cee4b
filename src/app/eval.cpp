#include <filesystem>

#include "app/command.h"
#include "base/check.h"
#include "base/format.h"
#include "base/math.h"
#include "base/parallel.h"
#include "formats/json.h"
#include "run/open_run.h"
#include "system/output.h"
#include "system/terminal.h"
#include "train/evaluate.h"

namespace zhuyi {
namespace {

// Losses of models with different tokens are compared by the character.
struct Score {
    Evaluation evaluation;
    Index tokens, characters;  // of the whole text; a character of three byte tokens is one

    double per_character() const {  // nats
        return evaluation.loss() * double(tokens) / double(characters);
    }
    double bits() const { return per_character() / math::log(2); }
    double perplexity() const { return math::exp(per_character()); }
};

class EvalCommand : public Command {
  public:
    const char* name() const override { return "eval"; }
    const char* usage() const override { return "RUN [--data FILE|FOLDER] [--checkpoint best]"; }
    Words summary() const override {
        return {"measure how well a model predicts a text", "衡量模型预测一份文本的好坏"};
    }

    void declare(Options& options) override {
        options.group({"evaluation", "评估"});
        options.add("data", data_, "",
                    {"a file or folder to predict, all of it; none: the validation part of the "
                     "run's own text",
                     "要预测的文件或文件夹（全部）；不写则用训练文本的验证部分"});
        declare_checkpoint(options, checkpoint_);
        options.add("json", json_, {"for a program", "给程序用"});
        declare_threads(options, threads_);
    }

    int run(const std::vector<std::string>& words, const Options&, Language language) override {
        if (words.size() != 1)
            fail_usage_english("eval takes one RUN: zhuyi eval runs/stories --data poems.txt");
        set_thread_count(int(threads_));
        const LoadedRun run = open_run(words[0], checkpoint_, language);
        const std::vector<Token> text = tokens(run);
        if (text.size() < 2)
            fail_english(source(run) + ": too short to predict anything: it has one token");
        Tape tape(false);
        const Score score{evaluate(*run.model, tape, text, run.config.train.batch),
                          std::ssize(text), run.tokenizer->characters(text)};
        print(json_ ? json_of(run, score) + "\n" : text_of(run, score, language));
        return 0;
    }

  private:
    const std::string& source(const LoadedRun& run) const {
        return data_.empty() ? run.config.text.data : data_;
    }

    std::vector<Token> tokens(const LoadedRun& run) const {
        TextOptions options = run.config.text;
        std::error_code ignored;
        if (data_.empty() && !std::filesystem::exists(options.data, ignored))
            fail_english(
                options.data +
                ": the text this run was trained on is not there (from here); name one: --data "
                "FILE");
        if (data_.empty()) return tokenize(Corpus::read(options), *run.tokenizer).validation;
        options.data = data_;
        options.split = Split::tail;  // there is no other part: any text will do, of any length
        return tokenize(Corpus::read(options).documents(), *run.tokenizer);
    }

    std::string text_of(const LoadedRun& run, const Score& score, Language language) const {
        const bool chinese = language == Language::chinese;
        const std::string what =
            data_.empty()
                ? format(chinese ? "%s 的验证部分" : "validation part of %s", source(run).c_str())
                : data_;
        std::string text = format(chinese ? "%s，第 %td 步，%s\n" : "%s, step %td, %s\n",
                                  run.checkpoint.file.c_str(), run.checkpoint.step, what.c_str());
        const auto line = [&](Words name, const std::string& number, Words unit) {
            text += "  " + fit_left(name.in(language), 12) + fit_right(number, 12) + "  " +
                    unit.in(language) + "\n";
        };
        line({"tokens", "token"}, grouped(score.tokens),
             {"each predicted from those before it", "个，逐个由前文预测"});
        line({"characters", "字符"}, grouped(score.characters),
             {"(the end of a document is one)", "个（文档结尾算一个）"});
        line({"loss", "损失"}, format("%.4f", score.evaluation.loss()),
             {"nats per token", "奈特/token"});
        line({"", ""}, format("%.4f", score.per_character()), {"nats per character", "奈特/字符"});
        line({"", ""}, format("%.4f", score.bits()), {"bits per character", "比特/字符"});
        line({"perplexity", "困惑度"}, format("%.2f", score.perplexity()),
             {"per character: as unsure as among so many", "每字符：相当于在这么多个字里猜"});
        return text;
    }

    std::string json_of(const LoadedRun& run, const Score& score) const {
        Json json;
        json.set("checkpoint", run.checkpoint.file.string());
        json.set("step", run.checkpoint.step);
        json.set("data", source(run));
        json.set("part", data_.empty() ? "validation" : "all");
        json.set("tokens", score.tokens);
        json.set("characters", score.characters);
        json.set("nats_per_token", score.evaluation.loss());
        json.set("nats_per_character", score.per_character());
        json.set("bits_per_character", score.bits());
        json.set("perplexity_per_character", score.perplexity());
        return json.write(2);
    }

    std::string data_, checkpoint_ = "best";
    bool json_ = false;
    Index threads_ = 0;
};

}  // namespace

std::unique_ptr<Command> eval_command() { return std::make_unique<EvalCommand>(); }

}  // namespace zhuyi
