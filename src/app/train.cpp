#include <algorithm>
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
#include "text/utf8.h"
#include "text/vocabulary.h"
#include "train/metrics.h"
#include "train/trainer.h"

namespace zhuyi {
namespace {

namespace fs = std::filesystem;

bool is_run_folder(const std::string& path) { return fs::exists(RunFolder{path}.config()); }

// runs/poems for poems.txt, ../poems/ and runs/poems.conf.
std::string default_folder(const std::string& path) {
    fs::path given = path == "-" ? fs::path("stdin") : fs::absolute(path).lexically_normal();
    if (!given.has_filename()) given = given.parent_path();  // it ended with a slash
    const std::string name =
        fs::is_directory(given) ? given.filename().string() : given.stem().string();
    return "runs/" + (name.empty() ? "text" : name);
}

std::string shown(const Options& options, const std::string& name) {
    const std::string value = options.value(name);
    return value.empty() ? "\"\"" : value;
}

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
    void resolve(const Options& options, const Corpus& corpus, const Tokenizer& tokenizer);
    void adopt_shape(const Options& options);
    void adopt_suggestion(const Options& options, const Suggestion& suggestion);
    void load_resumed(const Options& options);
    void find_folder(const std::vector<std::string>& words);
    void begin_weights(Trainer& trainer, Parameters& parameters) const;
    std::unique_ptr<Tokenizer> tokenizer_for(const Corpus& corpus) const;
    void create_folder(const Tokenizer& tokenizer, Language language) const;

    std::string out_, from_;
    bool resume_ = false, suggested_ = false;
    Index threads_ = 0;
    RunConfig config_;
};

// Going on: the run's own options hold. Those that describe the same training under other names may be given again;
// any other that differs would be another training.
void TrainCommand::load_resumed(const Options& options) {
    RunConfig wanted = std::exchange(config_, read_run_config({out_}));
    wanted.train.min_learning_rate = wanted.train.final_learning_rate();
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
            fail_usage("--resume goes on with " + entry.name + " = " + shown(before, entry.name) +
                       " of " + out_ + "; found " + shown(after, entry.name) +
                       ". Leave it out, or train anew with another --out.");
        if (free) before.set(entry.name, after.value(entry.name), "--" + entry.name);
    }
}

std::unique_ptr<Tokenizer> TrainCommand::tokenizer_for(const Corpus& corpus) const {
    if (resume_) return read_tokenizer(out_);
    if (!from_.empty()) return read_tokenizer(from_);
    return std::make_unique<CharacterTokenizer>(make_tokenizer(corpus, config_.text.min_count));
}

// The shape of the run whose weights come first.
void TrainCommand::adopt_shape(const Options& options) {
    GptConfig theirs = read_run_config({from_}).model, wanted = config_.model;
    theirs.dropout = wanted.dropout;  // shapes nothing
    Options mine, other;
    zhuyi::declare(mine, wanted);
    zhuyi::declare(other, theirs);
    for (const Options::Entry& entry : mine.entries())
        if (options.was_set(entry.name) && mine.value(entry.name) != other.value(entry.name) &&
            entry.name != "ffn")
            fail_usage("--from " + from_ + " has " + entry.name + " = " + other.value(entry.name) +
                       "; found " + mine.value(entry.name) + ". Leave it out: the weights decide.");
    config_.model = theirs;
}

// Whoever names only a text gets what suits its size.
void TrainCommand::adopt_suggestion(const Options& options, const Suggestion& s) {
    GptConfig& model = config_.model;
    TrainConfig& train = config_.train;
    const auto fill = [&](const char* name, auto& value, auto suggested) {
        if (!options.was_set(name)) value = suggested;
    };
    if (from_.empty()) {
        fill("context", model.context, s.context);
        fill("channels", model.channels, s.channels);
        fill("heads", model.heads, s.heads);
        fill("layers", model.layers, s.layers);
    }
    fill("dropout", model.dropout, s.dropout);
    fill("batch", train.batch, s.batch);
    fill("steps", train.steps, s.steps);
    fill("learning_rate", train.learning_rate, s.learning_rate);
    fill("eval_every", train.eval_every,
         std::min(std::max<Index>(train.steps / 5, 10), train.eval_every));
}

// Fills in what the text decides.
void TrainCommand::resolve(const Options& options, const Corpus& corpus,
                           const Tokenizer& tokenizer) {
    GptConfig& model = config_.model;
    TrainConfig& train = config_.train;
    if (!from_.empty()) adopt_shape(options);
    if (suggested_) adopt_suggestion(options, suggest_model(corpus.characters(), tokenizer.size()));
    if (!options.was_set("warmup")) train.warmup = std::min(train.warmup, train.steps / 10);
    if (model.vocabulary && model.vocabulary != tokenizer.size())
        fail_usage(
            format("vocabulary = %td, but the text gives %td tokens. Leave vocabulary out: "
                   "training takes it from the text.",
                   model.vocabulary, tokenizer.size()));
    model.vocabulary = tokenizer.size();
    model.ffn = model.width();
    train.min_learning_rate = train.final_learning_rate();
    check(model);
    if (const auto fault = utf8::first_error(train.prompt))
        fail_usage(format("--prompt is not UTF-8 at its byte %td", fault->offset));
}

void TrainCommand::create_folder(const Tokenizer& tokenizer, Language language) const {
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

// Which folder, and whether a run is made there or goes on.
void TrainCommand::find_folder(const std::vector<std::string>& words) {
    if (out_.empty()) out_ = default_folder(config_.text.data);
    const bool exists = is_run_folder(out_);
    if (!resume_ && exists)
        fail_usage(out_ + " holds a run already. Go on with it: zhuyi train --resume " + out_ +
                   "; or give another folder: --out RUN.");
    if (resume_ && !exists && suggested_ && !fs::is_regular_file(words[0]))
        fail(words[0] + ": no run folder (" +
             (fs::exists(words[0]) ? "it has no run.conf" : "there is nothing of that name") +
             "). `zhuyi train` without --resume makes one.");
    resume_ = resume_ && exists;
}

void TrainCommand::begin_weights(Trainer& trainer, Parameters& parameters) const {
    const RunFolder folder{out_};
    if (resume_ &&
        (fs::exists(folder.checkpoint("last")) || fs::exists(folder.checkpoint("first"))))
        return trainer.resume();
    if (from_.empty()) return parameters.initialise(std::uint64_t(config_.train.seed));
    Parameters theirs(parameter_table(config_.model), false);
    read_checkpoint(RunFolder{from_}.checkpoint("best"), theirs);
    const Out values = parameters.values();
    std::copy(theirs.values().begin(), theirs.values().end(), values.begin());
}

int TrainCommand::run(const std::vector<std::string>& words, const Options& options,
                      Language language) {
    if (words.empty() && config_.text.data.empty())
        fail_usage("train needs a CONFIG, a TEXT or a RUN: zhuyi train configs/stories.conf");
    set_thread_count(int(threads_));
    find_folder(words);
    const RunFolder folder{out_};
    if (resume_) load_resumed(options);
    if (!resume_ && !from_.empty()) read_run_config({from_});  // says what is wrong with it
    if (config_.text.data.empty())
        fail_usage("no text to train on: give data = FILE in the configuration, or --data FILE");

    const Corpus corpus = Corpus::read(config_.text);
    const std::unique_ptr<Tokenizer> tokenizer = tokenizer_for(corpus);
    if (!resume_) resolve(options, corpus, *tokenizer);
    const TokenizedText text = tokenize(corpus, *tokenizer);
    check_length(text, config_.model.context);

    std::vector<Parameter> table = parameter_table(config_.model);
    freeze(table, config_.train.freeze);
    const std::string plan = plan_text(config_, corpus, text, *tokenizer, table, language);
    Parameters parameters(std::move(table), true);  // too large a model leaves no folder behind
    if (!resume_) create_folder(*tokenizer, language);

    Gpt model(config_.model, parameters);
    Trainer trainer(model, parameters, config_.train, {text.train, text.validation, corpus.hash()},
                    folder);
    const double train_ratio = double(text.train.size()) / double(text.train_characters);
    const double validation_ratio =
        double(text.validation.size()) / double(text.validation_characters);
    MetricsLog metrics(folder.metrics(), parameters);
    ProgressLine progress(folder.log(), config_.train.steps, train_ratio, validation_ratio,
                          language);
    SampleLog samples(folder.samples(), model, *tokenizer, config_.train.prompt, config_.train.seed,
                      [&](Index, const std::string& sample) {
                          progress.say("    " + cut_to_width(one_line(sample), 74));
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

    begin_weights(trainer, parameters);
    std::fputs(plan.c_str(), stderr);  // what can go wrong has not: an error stands alone
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
