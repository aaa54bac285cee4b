#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <optional>

#include "app/command.h"
#include "base/check.h"
#include "base/format.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "cost/needs.h"
#include "cost/pace.h"
#include "cost/plan.h"
#include "film/history_recorder.h"
#include "generate/sample_log.h"
#include "run/inject.h"
#include "run/open_run.h"
#include "run/post_mortem_text.h"
#include "run/progress.h"
#include "run/report.h"
#include "run/train_config.h"
#include "run/train_end.h"
#include "system/atomic_file.h"
#include "system/atomic_folder.h"
#include "system/folder_lock.h"
#include "system/machine.h"
#include "text/batches.h"
#include "text/encoding.h"
#include "text/vocabulary.h"
#include "train/metrics.h"
#include "train/trainer.h"

namespace zhuyi {
namespace {

namespace fs = std::filesystem;

bool is_run_folder(const std::string& path) { return fs::exists(RunFolder{path}.config()); }

constexpr Index kWorthTiming = 100;  // steps
constexpr const char* kAnother = "another training";
constexpr double kNoLoss = std::numeric_limits<double>::infinity();  // was measured yet

struct Reading {
    Corpus corpus;
    std::unique_ptr<Tokenizer> tokenizer;
    TokenizedText text;
};

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
        options.add(
            "resume", resume_,
            {"go on from the run's last checkpoint; --steps, --eval-every, --save-every and "
             "--data may change, --history may be switched off",
             "从上次的检查点继续；可以改 --steps、--eval-every、--save-every 和 --data，"
             "可以关掉 --history"});
        options.add("minutes", minutes_, "minutes",
                    {"instead of --steps: as many as fit into this time; 0: --steps says",
                     "代替 --steps：按时间选定步数；0 表示由 --steps 决定"},
                    0, 1e6);
        options.add("from", from_, "",
                    {"start from this run's weights and vocabulary (fine-tuning)",
                     "从另一次运行的权重和词表开始（微调）"});
        options.add("threads", threads_, "",
                    {"0: as many as there are processors; changes no bit of the result",
                     "线程数；0 表示全部处理器；不改变结果的任何一位"},
                    0, kMostThreads);
        zhuyi::declare(options, config_);
        options.add_hidden("inject", inject_);
    }

    void prepare(const std::vector<std::string>& words, Options& options) override {
        if (words.size() > 1)
            fail_usage_english("train takes one CONFIG, TEXT or RUN; found also '" + words[1] +
                               "'");
        if (words.empty()) return;
        const std::string& word = words[0];
        if (word.empty())
            fail_usage_english("train needs a CONFIG, a TEXT or a RUN; found an empty name");
        if (is_run_folder(word)) {
            out_ = word;
        } else if (fs::path(word).extension() == ".conf") {
            options.read_file(word);
            if (out_.empty()) out_ = default_folder(word);
        } else {
            config_.text.data = word;
            suggested_ = true;
            if (out_.empty()) out_ = default_folder(word);
        }
    }

    int run(const std::vector<std::string>& words, const Options& options,
            Language language) override;

  private:
    void find_folder(const std::vector<std::string>& words);
    void first_weights(Parameters& parameters, std::uint64_t vocabulary) const;
    std::string resume(Trainer& trainer, Parameters& parameters, Language language) const;
    std::unique_ptr<Tokenizer> tokenizer_for(const Corpus& corpus) const;
    void read_run(const Options& options);
    Corpus read_text() const;
    void create_folder(const Tokenizer& tokenizer, Parameters& parameters, const Checkpoint& start,
                       Language language);
    int train(const Reading& reading, std::vector<Parameter> table, Language language);

    std::string out_, from_, inject_;
    bool resume_ = false, suggested_ = false, changed_ = false;
    Index threads_ = 0;
    double minutes_ = 0;
    RunConfig config_;
    Room room_;
    std::optional<Pace> pace_;
    std::optional<Injection> injection_;
    std::optional<FolderLock> lock_;  // of the run folder, while it is written
};

std::unique_ptr<Tokenizer> TrainCommand::tokenizer_for(const Corpus& corpus) const {
    if (resume_) return read_tokenizer(out_);
    if (!from_.empty()) return read_tokenizer(from_);
    return std::make_unique<CharacterTokenizer>(make_tokenizer(corpus, config_.text.min_count));
}

// Locked before anything is written: of two that begin at once one makes the run. Another run's
// weights are there before run.conf makes it a run: whoever resumes it begins with them.
void TrainCommand::create_folder(const Tokenizer& tokenizer, Parameters& parameters,
                                 const Checkpoint& start, Language language) {
    const RunFolder folder{out_};
    make_folders(out_);
    lock_.emplace(out_, kAnother);
    if (is_run_folder(out_)) fail_english(out_ + ": another training has just begun here");
    write_file(folder.vocabulary(), tokenizer.vocabulary_file());
    if (!from_.empty()) write_checkpoint(folder.checkpoint("first"), parameters, start);
    write_run_config(folder, config_, language);
}

// Which folder, and whether a run is made there or goes on.
void TrainCommand::find_folder(const std::vector<std::string>& words) {
    if (out_.empty()) out_ = default_folder(config_.text.data);
    const bool exists = is_run_folder(out_);
    if (!resume_ && exists)
        fail_usage_english(out_ + " holds a run already. Go on with it: zhuyi train --resume " +
                           shell_word(out_) + "; or give another folder: --out RUN.");
    if (resume_ && !exists && suggested_ && words[0] != "-" && !fs::is_regular_file(words[0]))
        fail_english(
            words[0] + ": no run folder (" +
            (fs::exists(words[0]) ? "it has no run.conf" : "there is nothing of that name") +
            "). `zhuyi train` without --resume makes one.");
    resume_ = resume_ && exists;
}

void TrainCommand::read_run(const Options& options) {
    lock_.emplace(out_, kAnother);
    const ResumedConfig resumed = resumed_config(config_, options, out_);
    config_ = resumed.config;
    changed_ = resumed.changed;
}

Corpus TrainCommand::read_text() const try {
    return Corpus::read(config_.text);
} catch (const Error& error) {
    if (!resume_ || config_.text.data != "-") throw;
    fail_english(
        "this run was trained on a text from standard input; give it the same once more, there "
        "or as --data FILE (" +
        std::string(error.what()) + ")");
}

void TrainCommand::first_weights(Parameters& parameters, std::uint64_t vocabulary) const {
    if (from_.empty()) return parameters.initialise(std::uint64_t(config_.train.seed));
    Parameters theirs(parameter_table(config_.model), false);
    const RunFolder folder{from_};
    check_vocabulary(read_checkpoint(folder.checkpoint("best"), theirs), vocabulary,
                     folder.vocabulary());
    const Out values = parameters.values();
    std::copy(theirs.values().begin(), theirs.values().end(), values.begin());
}

// Returns what there is to warn of. A run that was killed before its first weights were written
// begins anew.
std::string TrainCommand::resume(Trainer& trainer, Parameters& parameters,
                                 Language language) const {
    const RunFolder folder{out_};
    for (const char* which : {"last", "previous", "first"})
        if (fs::exists(folder.checkpoint(which))) return warning_of(trainer.resume(), language);
    parameters.initialise(std::uint64_t(config_.train.seed));
    return "";
}

int TrainCommand::run(const std::vector<std::string>& words, const Options& options,
                      Language language) {
    if (words.empty() && config_.text.data.empty())
        fail_usage_english(
            "train needs a CONFIG, a TEXT or a RUN: zhuyi train configs/stories.conf");
    injection_.emplace(inject_);
    set_thread_count(int(threads_));
    find_folder(words);
    resolve_minutes(minutes_, options, resume_ ? out_ : "");
    if (resume_) read_run(options);
    if (!resume_ && !from_.empty()) read_run_config({from_});  // says what is wrong with it
    if (config_.text.data.empty())
        fail_usage_english(
            "no text to train on: give data = FILE in the configuration, or --data FILE");

    room_ = {available_memory(), free_disk(out_), {}};
    Reading reading{read_text(), nullptr, {}};
    reading.tokenizer = tokenizer_for(reading.corpus);
    if (!resume_)
        resolve_model(config_, {options, from_, suggested_}, reading.corpus, *reading.tokenizer);
    std::vector<Parameter> table = parameter_table(config_.model);
    freeze(table, config_.train.freeze);
    check_memory(config_, table, memory_of(reading.corpus), room_.memory);
    reading.text = tokenize(reading.corpus, *reading.tokenizer);
    check_length(reading.text, config_.model.context);
    if (!resume_) {
        if (minutes_ > 0) {
            pace_ = pace_of(config_, reading.text, std::min(2.0, 2 * minutes_));
            config_.train.steps = pace_->steps_within(60 * minutes_, config_.train);
        }
        resolve_schedule(config_, {options, from_, suggested_});
        check_disk(needs_of(config_, table, 0), out_, room_.disk);
    }
    // Where the steps that are tried cost little beside those that are made.
    if (!pace_ && config_.train.steps >= kWorthTiming) pace_ = pace_of(config_, reading.text, 0);
    return train(reading, std::move(table), language);
}

int TrainCommand::train(const Reading& reading, std::vector<Parameter> table, Language language) {
    const auto& [corpus, tokenizer, text] = reading;
    Parameters parameters(std::move(table), true);  // too large a model leaves no folder behind
    const std::uint64_t vocabulary = hash_of(tokenizer->vocabulary_file());
    if (!resume_) {
        first_weights(parameters, vocabulary);
        create_folder(*tokenizer, parameters, {0, kNoLoss, corpus.hash(), {}, vocabulary},
                      language);
    }

    const RunFolder folder{out_};
    Gpt model(config_.model, parameters);
    Trainer trainer(model, parameters, config_.train,
                    {text.train, text.validation, corpus.hash(), vocabulary}, folder);
    MetricsLog metrics(folder.metrics(), parameters);
    ProgressLine progress(folder.log(), config_.train.steps,
                          double(text.train.size()) / double(text.train_characters),
                          double(text.validation.size()) / double(text.validation_characters),
                          language);
    SampleLog samples(folder.samples(), model, *tokenizer, config_.train.prompt, config_.train.seed,
                      [&](Index, const std::string& sample) {
                          progress.say("    " + cut_to_width(one_line(sample), 74));
                      });
    for (Listener* listener :
         std::initializer_list<Listener*>{&*injection_, &metrics, &progress, &samples})
        trainer.listen(*listener);
    std::optional<HistoryRecorder> film;
    if (config_.history.on)
        trainer.listen(film.emplace(
            HistoryRecorder::Subject{model, parameters, *tokenizer, config_.train, folder},
            plan_history(config_.history, config_.model, config_.train.steps, *tokenizer,
                         text.validation)));

    const std::string warning = resume_ ? resume(trainer, parameters, language) : "";
    const Index begun = trainer.progress().step;
    check_steps(config_, begun, out_);
    if (changed_) write_run_config(folder, config_, language);  // whoever resumes next finds it
    if (pace_) {
        room_.step = pace_->step;
        room_.seconds = pace_->seconds(config_.train.steps - begun, config_.train);
    }
    // Only now, when nothing has gone wrong: an error stands alone.
    std::fputs((warning +
                plan_text(config_, corpus, text, *tokenizer, parameters.table(), room_, language))
                   .c_str(),
               stderr);
    const InterruptListener interrupt;
    try {
        trainer.run(interrupt);
    } catch (const NotFinite& bad) {
        progress.say(post_mortem_text(bad.found(), config_.train, *tokenizer, out_, language));
        throw;
    }
    progress.say(end_text({out_, begun, trainer.progress().step, config_.train.steps},
                          parameters.fingerprint(), language));
    if (film && film->rolling()) {
        write_film_page(out_, "", folder.report().string(), {language, 0});
        progress.say((language == Language::chinese ? "训练过程的影片：" : "the film of it: ") +
                     folder.report().string());
    }
    return 0;
}

}  // namespace

std::unique_ptr<Command> train_command() { return std::make_unique<TrainCommand>(); }

}  // namespace zhuyi
