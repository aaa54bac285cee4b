#include <cstdio>
#include <filesystem>

#include "app/command.h"
#include "app/plan.h"
#include "app/progress.h"
#include "base/atomic_file.h"
#include "base/check.h"
#include "base/format.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "generate/sample_log.h"
#include "observe/history_recorder.h"
#include "report/film_page.h"
#include "text/batches.h"
#include "text/suggestion.h"
#include "text/vocabulary.h"
#include "train/metrics.h"
#include "train/trainer.h"

namespace zhuyi {
namespace {

namespace fs = std::filesystem;

bool is_run_folder(const std::string& path) { return fs::exists(RunFolder{path}.config()); }

class TrainCommand : public Command {
  public:
    const char* name() const override { return "train"; }
    const char* usage() const override {
        return "CONFIG|TEXT|RUN [--out RUN] [--resume] [--key=value …]";
    }
    Words summary() const override { return {"train a model on a text", "用一份文本训练模型"}; }

    void declare(Options& options) override {
        options.group({"run", "运行"});
        options.add("out", out_, "",
                    {"run folder to make; default: runs/ and the name of the configuration or text",
                     "要创建的运行目录；默认是 runs/ 加配置或文本的名字"});
        options.add("resume", resume_,
                    {"go on from the run's last checkpoint", "从上次的检查点继续"});
        options.add("from", from_, "",
                    {"start from this run's weights and vocabulary (fine-tuning)",
                     "从另一次运行的权重和词表开始（微调）"});
        options.add("threads", threads_, "",
                    {"0: as many as there are processors; changes no bit of the result",
                     "线程数；0 表示全部处理器；不改变结果的任何一位"});
        options.add(
            "prompt", prompt_, "",
            {"beginning of the samples written at each evaluation", "每次评估所写样例的开头"});
        zhuyi::declare(options, config_);
    }

    void prepare(const std::vector<std::string>& words, Options& options) override {
        if (words.size() > 1)
            fail_usage("train takes one CONFIG, TEXT or RUN; found also '" + words[1] + "'");
        if (words.empty()) return;
        const std::string& word = words[0];
        if (is_run_folder(word)) {
            out_ = word;
        } else if (fs::path(word).extension() == ".conf") {
            options.read_file(word);
            if (out_.empty()) out_ = "runs/" + fs::path(word).stem().string();
        } else {
            config_.text.data = word;
            suggested_ = true;
            if (out_.empty()) out_ = "runs/" + fs::path(word).stem().string();
        }
    }

    int run(const std::vector<std::string>& words, const Options& options,
            Language language) override;

  private:
    void resolve(const Options& options, const Corpus& corpus, const Tokenizer& tokenizer);
    void load_resumed(const Options& options);
    std::unique_ptr<Tokenizer> tokenizer_for(const Corpus& corpus) const;
    void create_folder(const Options& options, const Tokenizer& tokenizer, Language language) const;

    std::string out_, from_, prompt_;
    bool resume_ = false, suggested_ = false;
    Index threads_ = 0;
    RunConfig config_;
};

// Going on: the run's own options hold. Those that describe the same training under other names may be given again;
// any other that differs would be another training.
void TrainCommand::load_resumed(const Options& options) {
    const RunConfig saved = read_run_config({out_});
    RunConfig wanted = std::exchange(config_, saved);
    Options before, after;
    zhuyi::declare(before, config_);
    zhuyi::declare(after, wanted);
    for (const Options::Entry& entry : after.entries()) {
        if (!options.was_set(entry.name) || before.value(entry.name) == after.value(entry.name))
            continue;
        const bool free = entry.name == "steps" || entry.name == "eval_every" ||
                          entry.name == "save_every" || entry.name == "data" ||
                          entry.name == "history";
        if (!free && entry.name != "vocabulary" && entry.name != "ffn")
            fail_usage("--resume goes on with " + entry.name + " = " + before.value(entry.name) +
                       " of " + out_ + "; found " + after.value(entry.name) +
                       ". Leave it out, or train anew with another --out.");
        if (free) before.set(entry.name, after.value(entry.name), "--" + entry.name);
    }
}

std::unique_ptr<Tokenizer> TrainCommand::tokenizer_for(const Corpus& corpus) const {
    if (resume_) return read_tokenizer(out_);
    if (!from_.empty()) return read_tokenizer(from_);
    return std::make_unique<CharacterTokenizer>(make_tokenizer(corpus, config_.text.min_count));
}

// Fills in what the text decides.
void TrainCommand::resolve(const Options& options, const Corpus& corpus,
                           const Tokenizer& tokenizer) {
    GptConfig& model = config_.model;
    if (!from_.empty()) {
        const GptConfig theirs = read_run_config({from_}).model;
        RunConfig wanted = config_, given = config_;
        given.model = theirs;
        given.model.dropout = wanted.model.dropout;  // shapes nothing
        Options mine, other;
        zhuyi::declare(mine, wanted.model);
        zhuyi::declare(other, given.model);
        for (const Options::Entry& entry : mine.entries())
            if (options.was_set(entry.name) && mine.value(entry.name) != other.value(entry.name) &&
                entry.name != "ffn")
                fail_usage("--from " + from_ + " has " + entry.name + " = " +
                           other.value(entry.name) + "; found " + mine.value(entry.name) +
                           ". Leave it out: the weights decide.");
        model = given.model;
    } else if (suggested_ && !resume_) {
        const Suggestion s = suggest_model(corpus.characters(), tokenizer.size());
        const auto fill = [&](const char* name, auto& value, auto suggested) {
            if (!options.was_set(name)) value = suggested;
        };
        fill("context", model.context, s.context);
        fill("channels", model.channels, s.channels);
        fill("heads", model.heads, s.heads);
        fill("layers", model.layers, s.layers);
        fill("dropout", model.dropout, s.dropout);
        fill("batch", config_.train.batch, s.batch);
        fill("steps", config_.train.steps, s.steps);
        fill("learning_rate", config_.train.learning_rate, s.learning_rate);
    }
    if (model.vocabulary && model.vocabulary != tokenizer.size())
        fail_usage(
            format("vocabulary = %td, but the text gives %td tokens. Leave vocabulary out: "
                   "training takes it "
                   "from the text.",
                   model.vocabulary, tokenizer.size()));
    model.vocabulary = tokenizer.size();
    model.ffn = model.width();
    if (config_.train.min_learning_rate < 0)
        config_.train.min_learning_rate = config_.train.final_learning_rate();
    check(model);
}

void TrainCommand::create_folder(const Options&, const Tokenizer& tokenizer,
                                 Language language) const {
    const RunFolder folder{out_};
    std::error_code error;
    fs::create_directories(folder.path, error);
    if (error) fail(out_ + ": cannot make the run folder: " + error.message());
    RunConfig resolved = config_;
    Options file;
    zhuyi::declare(file, resolved);
    write_file(folder.vocabulary(), tokenizer.vocabulary_file());
    write_file(folder.config(), file.file(language));
}

int TrainCommand::run(const std::vector<std::string>& words, const Options& options,
                      Language language) {
    if (words.empty() && config_.text.data.empty())
        fail_usage("train needs a CONFIG, a TEXT or a RUN: zhuyi train configs/stories.conf");
    set_thread_count(int(threads_));
    if (out_.empty()) out_ = "runs/" + fs::path(config_.text.data).stem().string();
    const RunFolder folder{out_};
    const bool exists = is_run_folder(out_);
    if (!resume_ && exists)
        fail_usage(out_ + " holds a run already. Go on with it: zhuyi train --resume " + out_ +
                   "; or give another folder: --out RUN.");
    if (resume_ && !exists && !words.empty() && words[0] == out_)
        fail(out_ + ": no run folder (it has no run.conf). `zhuyi train` makes one.");
    resume_ = resume_ && exists;
    if (resume_) load_resumed(options);
    if (config_.text.data.empty())
        fail_usage("no text to train on: give data = FILE in the configuration, or --data FILE");

    const Corpus corpus = Corpus::read(config_.text);
    const std::unique_ptr<Tokenizer> tokenizer = tokenizer_for(corpus);
    if (!resume_) resolve(options, corpus, *tokenizer);
    const TokenizedText text = tokenize(corpus, *tokenizer);
    check_length(text, config_.model.context);

    std::vector<Parameter> table = parameter_table(config_.model);
    freeze(table, config_.train.freeze);
    std::fputs(plan_text(config_, corpus, text, *tokenizer, table, language).c_str(), stderr);
    if (!resume_) create_folder(options, *tokenizer, language);

    Parameters parameters(std::move(table), true);
    Gpt model(config_.model, parameters);
    Trainer trainer(model, parameters, config_.train, {text.train, text.validation, corpus.hash()},
                    folder);
    const double train_ratio = double(text.train.size()) / double(text.train_characters);
    const double validation_ratio =
        double(text.validation.size()) / double(text.validation_characters);
    MetricsLog metrics(folder.metrics(), parameters);
    ProgressLine progress(folder.log(), config_.train.steps, train_ratio, validation_ratio,
                          language);
    SampleLog samples(folder.samples(), model, *tokenizer, prompt_, config_.train.seed,
                      [&](Index, const std::string& sample) {
                          progress.say("    " + cut_to_width(one_line(sample), 100));
                      });
    for (Listener* listener : {static_cast<Listener*>(&metrics), static_cast<Listener*>(&progress),
                               static_cast<Listener*>(&samples)})
        trainer.listen(*listener);
    std::unique_ptr<HistoryRecorder> film;
    if (config_.history.on) {
        film = std::make_unique<HistoryRecorder>(
            HistoryRecorder::Subject{model, parameters, *tokenizer, config_.train, folder},
            plan_history(config_.history, config_.model, config_.train.steps, *tokenizer,
                         text.validation));
        trainer.listen(*film);
    }

    if (resume_ && fs::exists(folder.checkpoint("last"))) {
        trainer.resume();
    } else if (!from_.empty()) {
        Parameters theirs(parameter_table(config_.model), false);
        read_checkpoint(RunFolder{from_}.checkpoint("best"), theirs);
        const Out values = parameters.values();
        std::copy(theirs.values().begin(), theirs.values().end(), values.begin());
    } else {
        parameters.initialise(std::uint64_t(config_.train.seed));
    }
    const InterruptListener interrupt;
    trainer.run(interrupt);
    const bool zh = language == Language::chinese,
               done = trainer.progress().step == config_.train.steps;
    progress.say(format(
        zh ? "%s第 %td 步，指纹 %s，运行目录 %s" : "%s step %td, fingerprint %s, run folder %s",
        done ? (zh ? "完成：" : "done:")
             : (zh ? "已停止并保存（--resume 可继续）：" : "stopped and saved (--resume goes on):"),
        trainer.progress().step, hash_text(parameters.fingerprint()).c_str(), out_.c_str()));
    if (film && film->rolling()) {
        write_film_page(out_, "", folder.report().string(), {language, 0});
        progress.say((zh ? "训练过程的影片：" : "the film of it: ") + folder.report().string());
    }
    return 0;
}

}  // namespace

std::unique_ptr<Command> train_command() { return std::make_unique<TrainCommand>(); }

}  // namespace zhuyi
