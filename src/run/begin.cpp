// A training from its first step, from random numbers or from the weights of another run (--from).
#include <algorithm>
#include <filesystem>
#include <limits>

#include "base/check.h"
#include "base/hash.h"
#include "cost/plan.h"
#include "film/history_plan.h"
#include "model/config.h"
#include "model/gpt.h"
#include "model/parameters.h"
#include "probe/question.h"
#include "run/expectation.h"
#include "run/run_folder.h"
#include "run/session.h"
#include "system/atomic_file.h"
#include "system/folder_lock.h"
#include "system/input_file.h"
#include "system/machine.h"
#include "system/options.h"
#include "system/printable.h"
#include "text/suggestion.h"
#include "text/tokenized.h"
#include "text/tokenizer.h"
#include "text/vocabulary.h"
#include "train/config.h"
#include "train/optimizer.h"

namespace zhuyi {
// ---- --from: what the user has set must be as that run has it

static void check_agrees(const std::string& name, const Options& mine, const Options& theirs,
                         const std::string& from, const Options& options) {
    if (!options.was_set(name) || mine.value(name) == theirs.value(name)) return;
    fail_usage({"--from %1$s has %2$s = %3$s; found %4$s. Leave it out: the weights decide.",
                "--from %1$s 的 %2$s = %3$s，这里却是 %4$s。请去掉它：由权重决定。"},
               printable(from), name, theirs.value(name), mine.value(name));
}

static void adopt_shape(GptConfig& model, const std::string& from, const Options& options) {
    GptConfig theirs = read_run_config({from}).model;
    theirs.dropout = model.dropout;  // no sizes: may differ
    theirs.embedding_dropout = model.embedding_dropout;
    Options mine, other;
    declare(mine, model);
    declare(other, theirs);
    for (const Options::Entry& entry : mine.entries()) {
        const bool shorter = entry.name == "context" && model.context < theirs.context;
        if (entry.name != "ffn" && !shorter) check_agrees(entry.name, mine, other, from, options);
    }
    if (options.was_set("context")) theirs.context = model.context;
    model = theirs;
}

static std::unique_ptr<Tokenizer> tokenizer_of(const Corpus& corpus, TextOptions& text,
                                               const TrainWish& wish, const Options& options) {
    if (wish.from.empty()) {
        const auto open = [&](const char* name) {
            return wish.suits_the_text && !options.was_set(name);
        };
        if (open("tokenizer") && open("bpe_vocabulary") && open("min_count"))
            return suggest_tokens(corpus, text);
        if (open("min_count")) text.min_count = suggested_min_count(corpus.characters());
        return make_tokenizer(corpus, text);
    }
    std::unique_ptr<Tokenizer> tokenizer = read_tokenizer(wish.from);
    TextOptions theirs = text;
    adopt(theirs, *tokenizer);
    Options mine, other;
    declare(mine, text);
    declare(other, theirs);
    for (const char* name : {"tokenizer", "bpe_vocabulary"})
        check_agrees(name, mine, other, wish.from, options);
    text = theirs;
    return tokenizer;
}

static void set_first_weights(Parameters& parameters, const RunConfig& config,
                              const std::string& from, std::uint64_t vocabulary) {
    if (from.empty()) return parameters.initialise(std::uint64_t(config.train.seed));
    const RunFolder folder{from};
    Parameters theirs(parameter_table(read_run_config(folder).model), false);
    check_vocabulary(read_checkpoint(folder.checkpoint("best"), theirs), vocabulary,
                     folder.vocabulary());
    for (const Parameter& p : parameters.table()) {
        const Out ours = parameters.value(p);
        std::copy_n(theirs.tensor(p.name).value, ours.size(), ours.begin());
    }
}

static std::string adopt_fine_tuning(RunConfig& config, const std::string& from,
                                     const Options& options) {
    if (from.empty()) return {};
    std::string text;
    const Index whole = read_run_config({from}).model.context;
    if (config.model.context < whole)
        text +=
            say({"context %td of the %td that %s has: what its model knows of positions beyond is "
                 "dropped\n",
                 "上下文长度取 %td（%3$s 有 %2$td）：更远的位置不再保留\n"},
                config.model.context, whole, printable(from));
    if (options.was_set("learning_rate")) return text;
    constexpr double kShare = 0.1;
    config.train.learning_rate *= kShare;
    return text +
           say({"learning rate %g: a tenth of what a training from scratch takes here, because the "
                "weights know a text already, and larger steps would wash that out; "
                "--learning-rate decides\n",
                "学习率 %g：从头训练的十分之一，因为权重已经学过文本，步子太大会把学到的冲掉；"
                "可用 --learning-rate 指定\n"},
               config.train.learning_rate);
}

// ---- what the command line leaves open

// How long to train: 0, where --steps decides. Steps on the command line win over minutes in a
// configuration file; minutes and steps on one command line are refused.
static double minutes_of(const TrainWish& wish, const Options& options) {
    if (!options.on_command_line("steps") && wish.config.train.plan.empty()) return wish.minutes;
    if (wish.minutes > 0 && options.on_command_line("minutes"))
        fail_usage({"--minutes and --steps both say how long to train; leave one of them out",
                    "--minutes 和 --steps 都在说训练多久；请去掉其中一个"});
    return 0;
}

// If the user names only a text, a recipe for it decides what the command line leaves open.
static void adopt(const OptionValues& values, RunConfig& config, const Options& options) {
    Options ours;
    declare(ours, config);
    for (const auto& [name, value] : values)
        if (!options.was_set(name)) ours.set(name, text_of(value), "suggestion");
}

static void adopt_recipe(RunConfig& config, const TrainWish& wish, const Options& options,
                         const TrainingText& text, double operations) {
    Index tokens = wish.from.empty() ? tokens_counted(*text.tokenizer) : text.corpus.characters();
    tokens = Index(double(tokens) * text.corpus.new_share());
    const Recipe recipe = suggest(tokens, text.tokenizer->size(), operations);
    const Index heads = config.model.heads;
    if (wish.from.empty()) adopt(model_options(recipe), config, options);
    if (options.was_set("channels") && !options.was_set("heads")) config.model.heads = heads;
    adopt(training_options(recipe), config, options);
}

// The model, and everything that does not depend on the number of steps.
static void resolve_model(RunConfig& config, const TrainWish& wish, const Options& options,
                          const TrainingText& text, double operations) {
    GptConfig& model = config.model;
    model.ffn = wish.config.model.ffn;
    const Index tokens = text.tokenizer->size();
    if (!wish.from.empty()) adopt_shape(model, wish.from, options);
    if (wish.suits_the_text) adopt_recipe(config, wish, options, text, operations);
    if (model.vocabulary && model.vocabulary != tokens)
        fail_usage({"vocabulary = %td, but the text gives %td tokens. Leave vocabulary out: "
                    "training takes it from the text.",
                    "vocabulary = %td，但这份文本有 %td 个 token。请去掉 vocabulary："
                    "训练时由文本决定。"},
                   model.vocabulary, tokens);
    model.vocabulary = tokens;
    model.ffn = model.width();
    check(model);
    require_utf8(config.train.prompt, "--prompt");
}

// What depends on the number of steps.
static void resolve_schedule(TrainConfig& train, const TrainWish& wish, const Options& options) {
    if (wish.suits_the_text && !options.was_set("eval_every"))
        train.eval_every = std::min(std::max<Index>(train.steps / 5, 10), train.eval_every);
    if (!options.was_set("warmup")) train.warmup = std::min(train.warmup, train.steps / 10);
    train.min_learning_rate = train.final_learning_rate();
}

// The bytes of the probe file, which can be asked; "" where none is named.
static std::string probes_of(const std::string& path, const Tokenizer& tokenizer, Index context) {
    if (path.empty()) return "";
    std::string content = read_stream(path);
    const Questions questions = questions_of(parse_probes(content, path), tokenizer, context);
    if (questions.all.empty())
        fail_usage({"%s: every one of its %td probes is longer than the context, %td tokens",
                    "%s：%td 个测试句全都超过上下文长度 %td"},
                   printable(path), questions.too_long, context);
    return content;
}

// What cannot be is refused before the work.
static void check_place(const TrainWish& wish, const RunFolder& folder) {
    if (!wish.from.empty()) read_run_config({wish.from});  // Error if it is no run
    check_no_strangers(folder);
}

// Model and training for `operations`; what has no memory is refused. Returns a warning, or "".
static std::string settle(RunConfig& config, const TrainWish& wish, const Options& options,
                          const TrainingText& text, double operations,
                          std::optional<double> memory) {
    resolve_model(config, wish, options, text, operations);
    return check_memory(config, memory_of(text.corpus), memory,
                        wish.from.empty() ? Fixed::nothing : Fixed::shape);
}

// A recipe's training may end before its time is over: the text would only be learnt by heart.
static bool ends_early(const RunConfig& config, const TrainWish& wish, const Options& options,
                       double operations) {
    for (const char* name : {"channels", "layers", "context", "batch"})
        if (options.was_set(name)) return false;
    return wish.suits_the_text && wish.from.empty() && work_of(config) < 0.8 * operations;
}

// What a run begins with. run.conf comes last, because it makes the folder a run.
static void write_first_files(const RunFolder& folder, const RunConfig& config,
                              const TrainWish& wish, const TrainingText& text,
                              const std::string& probes, Parameters& parameters) {
    const std::string vocabulary = text.tokenizer->vocabulary_file();
    write_file(folder.vocabulary(), vocabulary);
    if (!probes.empty()) write_file(folder.probes(), probes);
    if (!wish.from.empty()) {
        constexpr double kNoLossYet = std::numeric_limits<double>::infinity();
        write_checkpoint(folder.checkpoint("first"), parameters,
                         {0, kNoLossYet, text.corpus.hash(), {}, hash_of(vocabulary)});
    }
    write_run_config(folder, config);
}

int begin_training(const TrainWish& wish, const Options& options, FaultInjection& faults) {
    const PaceKeeper::Clock::time_point begun = PaceKeeper::Clock::now();
    const RunFolder folder{wish.folder};
    const double minutes = minutes_of(wish, options);
    check_place(wish, folder);

    // 1  The text, the tokenizer, the model.
    RunConfig config = wish.config;
    if (config.text.without.empty()) config.text.without = wish.folder;
    const Room room{available_memory(), free_disk(folder.path)};  // before the text is read
    TrainingText text{read_text(config, wish.text.get()), nullptr, {}};
    text.tokenizer = tokenizer_of(text.corpus, config.text, wish, options);
    double work = minutes > 0 ? 60 * minutes * kUsualPace : kUsualOperations;
    std::string warning = settle(config, wish, options, text, work, room.memory);
    const std::string tuning = adopt_fine_tuning(config, wish.from, options);
    const std::string probes = probes_of(config.probes, *text.tokenizer, config.model.context);
    text.tokens = tokenize(text.corpus, *text.tokenizer);
    check_length(text.tokens, config.model.context);
    if (minutes > 0 && wish.suits_the_text && wish.from.empty()) {
        work = work_within(minutes, config, text.tokens);
        warning = settle(config, wish, options, text, work, room.memory);
    }
    if (config.history.on)  // whatever cannot be recorded is refused here
        plan_history(config.history, config.model, config.train, *text.tokenizer,
                     text.tokens.validation, text.tokens.train);

    // 2  The number of steps: what fits into the time that is left after the pilot.
    const bool early = ends_early(config, wish, options, work);
    std::optional<Pace> pace = plan_by_time(config, text.tokens, early ? 0 : minutes);
    tell(wish.elsewhere);
    const std::optional<Pilot> pilot = wish.from.empty() ? pilot_of(config, text) : std::nullopt;
    if (pace) plan_within(config, *pace, 60 * minutes, begun);
    resolve_schedule(config.train, wish, options);
    std::vector<Parameter> table = table_of(config);
    check_disk(needs_of(config, table, 0), folder.path, room.disk);
    if (!pace) pace = pace_where_worth_it(config, text.tokens);

    // 3  The weights. Without memory for them no folder is made.
    Parameters parameters(std::move(table), true);
    const auto optimizer = make_optimizer(parameters.table(), config.train);
    set_first_weights(parameters, config, wish.from, hash_of(text.tokenizer->vocabulary_file()));

    // 4  The folder, locked before anything is written: of two trainings that begin at once one
    // makes the run.
    make_folders(folder.path);
    const FolderLock lock(folder.path, kAnotherTraining, wish.lock);
    if (folder.is_run())
        fail({"%s: another training has just begun here", "%s：另一个训练刚在这里开始"},
             printable(folder.path));
    check_no_strangers(folder);
    write_first_files(folder, config, wish, text, probes, parameters);

    Session session(folder, config, text, parameters, *optimizer, faults);
    if (minutes > 0 && !early) session.keep_pace(60 * minutes, begun, config);
    if (can_forecast(config, text) && wish.from.empty())
        session.expect(expectation_of(config, text, session.levels().floor, pilot));
    return session.run(room, pace, warning + words_of_left_out(text.corpus) + tuning);
}

std::string default_folder(const std::string& path) {
    std::filesystem::path given = path == "-" ? std::filesystem::path("stdin")
                                              : std::filesystem::absolute(path).lexically_normal();
    if (!given.has_filename()) given = given.parent_path();  // it ended with a slash
    const std::string name =
        std::filesystem::is_directory(given) ? given.filename().string() : given.stem().string();
    return "runs/" + (name.empty() ? "text" : name);
}

std::string free_folder(const std::string& folder) {
    std::string free = folder;
    for (Index number = 2; RunFolder{free}.is_run(); ++number)
        free = folder + "-" + std::to_string(number);
    return free;
}

}  // namespace zhuyi
