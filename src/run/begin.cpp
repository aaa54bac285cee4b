#include "run/begin.h"

#include <algorithm>
#include <filesystem>
#include <limits>

#include "base/check.h"
#include "base/hash.h"
#include "cost/needs.h"
#include "cost/run_config.h"
#include "model/config.h"
#include "model/gpt.h"
#include "model/parameters.h"
#include "probe/question.h"
#include "system/atomic_file.h"
#include "system/atomic_folder.h"
#include "system/folder_lock.h"
#include "system/input_file.h"
#include "system/machine.h"
#include "system/options.h"
#include "system/printable.h"
#include "text/batches.h"
#include "text/suggestion.h"
#include "text/utf8.h"
#include "text/vocabulary.h"
#include "train/optimizer.h"
#include "train/schedule.h"

namespace zhuyi {
namespace {

// How long to train: 0, where --steps decides. Steps on the command line win over minutes in a
// configuration file; minutes and steps on one command line are refused.
double minutes_of(const TrainWish& wish, const Options& options) {
    if (!options.on_command_line("steps") && wish.config.train.plan.empty()) return wish.minutes;
    if (wish.minutes > 0 && options.on_command_line("minutes"))
        fail_usage({"--minutes and --steps both say how long to train; leave one of them out",
                    "--minutes 和 --steps 都在说训练多久；请去掉其中一个"});
    return 0;
}

// What the user has set must be as the run of --from has it.
void check_agrees(const std::string& name, const Options& mine, const Options& theirs,
                  const std::string& from, const Options& options) {
    if (!options.was_set(name) || mine.value(name) == theirs.value(name)) return;
    fail_usage({"--from %1$s has %2$s = %3$s; found %4$s. Leave it out: the weights decide.",
                "--from %1$s 的 %2$s = %3$s，这里却是 %4$s。请去掉它：由权重决定。"},
               printable(from), name, theirs.value(name), mine.value(name));
}

// With --from the model gets the sizes of the run whose weights it starts from.
void adopt_shape(GptConfig& model, const std::string& from, const Options& options) {
    GptConfig theirs = read_run_config({from}).model;
    theirs.dropout = model.dropout;  // no sizes: may differ
    theirs.embedding_dropout = model.embedding_dropout;
    Options mine, other;
    declare(mine, model);
    declare(other, theirs);
    for (const Options::Entry& entry : mine.entries())
        if (entry.name != "ffn") check_agrees(entry.name, mine, other, from, options);
    model = theirs;
}

// If the user names only a text, the sizes follow from the length of the text.
void adopt_suggestion(RunConfig& config, const TrainWish& wish, const Options& options,
                      const Suggestion& s) {
    const auto fill = [&](const char* name, auto& value, auto suggested) {
        if (!options.was_set(name)) value = suggested;
    };
    if (wish.from.empty()) {
        fill("context", config.model.context, s.context);
        fill("channels", config.model.channels, s.channels);
        fill("heads", config.model.heads, s.heads);
        fill("layers", config.model.layers, s.layers);
    }
    fill("dropout", config.model.dropout, s.dropout);
    fill("batch", config.train.batch, s.batch);
    fill("steps", config.train.steps, s.steps);
    fill("learning_rate", config.train.learning_rate, s.learning_rate);
}

// The model, and everything that does not depend on the number of steps.
void resolve_model(RunConfig& config, const TrainWish& wish, const Options& options,
                   const TrainingText& text) {
    GptConfig& model = config.model;
    const Index tokens = text.tokenizer->size();
    if (!wish.from.empty()) adopt_shape(model, wish.from, options);
    if (wish.suits_the_text)
        adopt_suggestion(config, wish, options, suggest_model(text.corpus.characters(), tokens));
    if (model.vocabulary && model.vocabulary != tokens)
        fail_usage({"vocabulary = %td, but the text gives %td tokens. Leave vocabulary out: "
                    "training takes it from the text.",
                    "vocabulary = %td，但这份文本有 %td 个 token。请去掉 vocabulary："
                    "训练时由文本决定。"},
                   model.vocabulary, tokens);
    model.vocabulary = tokens;
    model.ffn = model.width();
    check(model);
    if (const auto fault = utf8::first_error(config.train.prompt))
        fail_usage({"--prompt is not UTF-8 at its byte %td", "--prompt 的第 %td 个字节不是 UTF-8"},
                   fault->offset);
}

// What depends on the number of steps.
void resolve_schedule(TrainConfig& train, const TrainWish& wish, const Options& options) {
    if (wish.suits_the_text && !options.was_set("eval_every"))
        train.eval_every = std::min(std::max<Index>(train.steps / 5, 10), train.eval_every);
    if (!options.was_set("warmup")) train.warmup = std::min(train.warmup, train.steps / 10);
    train.min_learning_rate = train.final_learning_rate();
}

// A new one, or that of --from.
std::unique_ptr<Tokenizer> tokenizer_of(const Corpus& corpus, TextOptions& text,
                                        const std::string& from, const Options& options) {
    if (from.empty()) return make_tokenizer(corpus, text);
    std::unique_ptr<Tokenizer> tokenizer = read_tokenizer(from);
    TextOptions theirs = text;
    adopt(theirs, *tokenizer);
    Options mine, other;
    declare(mine, text);
    declare(other, theirs);
    for (const char* name : {"tokenizer", "bpe_vocabulary"})
        check_agrees(name, mine, other, from, options);
    text = theirs;
    return tokenizer;
}

// Random numbers; with --from the weights of that run, which must have the same vocabulary.
void set_first_weights(Parameters& parameters, const RunConfig& config, const std::string& from,
                       std::uint64_t vocabulary) {
    if (from.empty()) return parameters.initialise(std::uint64_t(config.train.seed));
    Parameters theirs(parameter_table(config.model), false);
    const RunFolder folder{from};
    check_vocabulary(read_checkpoint(folder.checkpoint("best"), theirs), vocabulary,
                     folder.vocabulary());
    std::ranges::copy(theirs.values(), parameters.values().begin());
}

// The bytes of the probe file, which can be asked; "" where none is named.
std::string probes_of(const std::string& path, const Tokenizer& tokenizer, Index context) {
    if (path.empty()) return "";
    std::string content = read_file(path);
    const Questions questions = questions_of(parse_probes(content, path), tokenizer, context);
    if (questions.all.empty())
        fail_usage({"%s: every one of its %td probes is longer than the context, %td tokens",
                    "%s：%td 个测试句全都超过上下文长度 %td"},
                   printable(path), questions.too_long, context);
    return content;
}

}  // namespace

std::string default_folder(const std::string& path) {
    std::filesystem::path given = path == "-" ? std::filesystem::path("stdin")
                                              : std::filesystem::absolute(path).lexically_normal();
    if (!given.has_filename()) given = given.parent_path();  // it ended with a slash
    const std::string name =
        std::filesystem::is_directory(given) ? given.filename().string() : given.stem().string();
    return "runs/" + (name.empty() ? "text" : name);
}

void begin_training(const TrainWish& wish, const Options& options, FaultInjection& faults,
                    Language language) {
    const PaceKeeper::Clock::time_point begun = PaceKeeper::Clock::now();
    const RunFolder folder{wish.folder};
    const double minutes = minutes_of(wish, options);
    if (!wish.from.empty()) read_run_config({wish.from});  // Error if it is no run

    // 1  The text, the tokenizer, the model.
    RunConfig config = wish.config;
    const Room room{available_memory(), free_disk(folder.path)};  // before the text is read
    TrainingText text{read_text(config), nullptr, {}};
    text.tokenizer = tokenizer_of(text.corpus, config.text, wish.from, options);
    resolve_model(config, wish, options, text);
    const std::string probes =
        probes_of(config.probe.probes, *text.tokenizer, config.model.context);
    std::vector<Parameter> table = table_of(config);
    check_memory(config, table, memory_of(text.corpus), room.memory);
    text.tokens = tokenize(text.corpus, *text.tokenizer);
    check_length(text.tokens, config.model.context);

    // 2  The number of steps.
    std::optional<Pace> pace;
    if (minutes > 0) {
        pace = pace_of(config, text.tokens, std::min(2.0, 2 * minutes));
        config.train.steps = pace->steps_within(60 * minutes, config.train);
        config.train.plan = text_of({{0, config.train.steps}});
    }
    resolve_schedule(config.train, wish, options);
    check_disk(needs_of(config, table, 0), folder.path.string(), room.disk);
    if (!pace) pace = pace_where_worth_it(config, text.tokens);

    // 3  The weights. If they do not fit into memory, no folder is made.
    Parameters parameters(std::move(table), true);
    const auto optimizer = make_optimizer(parameters.table(), config.train);
    const std::uint64_t vocabulary = hash_of(text.tokenizer->vocabulary_file());
    set_first_weights(parameters, config, wish.from, vocabulary);

    // 4  The folder. It is locked before anything is written: if two trainings begin at the same
    // moment, one of them makes the run. run.conf comes last, because it makes the folder a run:
    // with --from the first weights are then already there, and --resume begins with them.
    make_folders(folder.path);
    const FolderLock lock(folder.path, kAnotherTraining);
    if (folder.is_run())
        fail({"%s: another training has just begun here", "%s：另一个训练刚在这里开始"},
             printable(folder.path.string()));
    write_file(folder.vocabulary(), text.tokenizer->vocabulary_file());
    if (!probes.empty()) write_file(folder.probes(), probes);
    if (!wish.from.empty()) {
        constexpr double kNoLossYet = std::numeric_limits<double>::infinity();
        write_checkpoint(folder.checkpoint("first"), {parameters, *optimizer},
                         {0, kNoLossYet, text.corpus.hash(), {}, vocabulary});
    }
    write_run_config(folder, config, language);

    Session session(folder, config, text, parameters, *optimizer, faults, language);
    if (minutes > 0) session.keep_pace(60 * minutes, begun, config);
    session.run(room, pace);
}

}  // namespace zhuyi
