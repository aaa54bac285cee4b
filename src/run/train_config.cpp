#include "run/train_config.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/check.h"
#include "base/format.h"
#include "text/suggestion.h"
#include "text/utf8.h"

namespace zhuyi {
namespace {

std::string shown(const Options& options, const std::string& name) {
    const std::string value = options.value(name);
    return value.empty() ? "\"\"" : value;
}

// The shape of the run whose weights come first.
void adopt_shape(GptConfig& model, const Origin& origin) {
    GptConfig theirs = read_run_config({origin.from}).model;
    theirs.dropout = model.dropout;  // shapes nothing
    Options mine, other;
    declare(mine, model);
    declare(other, theirs);
    for (const Options::Entry& entry : mine.entries())
        if (origin.options.was_set(entry.name) &&
            mine.value(entry.name) != other.value(entry.name) && entry.name != "ffn")
            fail_usage_english("--from " + origin.from + " has " + entry.name + " = " +
                               other.value(entry.name) + "; found " + mine.value(entry.name) +
                               ". Leave it out: the weights decide.");
    model = theirs;
}

// Whoever names only a text gets what suits its size.
void adopt_suggestion(RunConfig& config, const Origin& origin, const Suggestion& s) {
    const auto fill = [&](const char* name, auto& value, auto suggested) {
        if (!origin.options.was_set(name)) value = suggested;
    };
    if (origin.from.empty()) {
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

// A film that was switched off has missed what came since; going on with it would be a film with a
// gap, and a new one would take its place.
void check_film(const HistoryConfig& wanted, const std::string& run) {
    const std::string film = RunFolder{run}.history().string();
    if (wanted.on && std::filesystem::exists(film))
        fail_usage_english(
            film + " is the film of this run up to where --history=no switched it off. " +
            "Leave --history out, or move that file away to begin another film here.");
}

void check_there(const std::string& text) {
    std::error_code ignored;
    if (!text.empty() && text != "-" && !std::filesystem::exists(text, ignored))
        fail_english(text +
                     ": the text this run was trained on is not there (from here); name one: " +
                     "--data FILE");
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

void resolve_minutes(double& minutes, const Options& options, const std::string& resumed) {
    const bool steps = options.on_command_line("steps");
    if (minutes > 0 && options.on_command_line("minutes")) {
        if (steps)
            fail_usage_english(
                "--minutes and --steps both say how long to train; leave one of them out");
        if (!resumed.empty())
            fail_usage_english("--minutes chooses the steps of a new run, and " + resumed +
                               " has its own. To train it longer: --steps with a larger number.");
    }
    if (steps) minutes = 0;
}

ResumedConfig resumed_config(RunConfig wanted, const Options& options, const std::string& run) {
    ResumedConfig resumed{read_run_config({run}), false};
    wanted.train.min_learning_rate = wanted.train.final_learning_rate();
    Options before, after;
    declare(before, resumed.config);
    declare(after, wanted);
    for (const Options::Entry& entry : after.entries()) {
        const std::string& name = entry.name;
        const bool text = name == "data";  // its hash says that it is the same
        const bool given = text ? !wanted.text.data.empty() : options.was_set(name);
        if (!given || before.value(name) == after.value(name)) continue;
        if (text || name == "steps" || name == "eval_every" || name == "save_every" ||
            name == "history") {
            if (!text && !options.on_command_line(name)) continue;
            if (name == "history") check_film(wanted.history, run);
            before.set(name, after.value(name), "--" + name);
            resumed.changed = true;
        } else if (name != "vocabulary" && name != "ffn") {
            fail_usage_english("--resume goes on with " + name + " = " + shown(before, name) +
                               " of " + run + "; found " + shown(after, name) +
                               ". Leave it out, or train anew with another --out.");
        }
    }
    check_there(resumed.config.text.data);
    return resumed;
}

void check_steps(const RunConfig& config, Index begun, const std::string& run) {
    if (begun > config.train.steps)
        fail_usage_english(
            format("%s is at step %td already; found --steps %td. A larger number than %td "
                   "trains on.",
                   run.c_str(), begun, config.train.steps, begun));
}

void resolve_model(RunConfig& config, const Origin& origin, const Corpus& corpus,
                   const Tokenizer& tokenizer) {
    GptConfig& model = config.model;
    if (!origin.from.empty()) adopt_shape(model, origin);
    if (origin.suggested)
        adopt_suggestion(config, origin, suggest_model(corpus.characters(), tokenizer.size()));
    if (model.vocabulary && model.vocabulary != tokenizer.size())
        fail_usage_english(
            format("vocabulary = %td, but the text gives %td tokens. Leave vocabulary out: "
                   "training takes it from the text.",
                   model.vocabulary, tokenizer.size()));
    model.vocabulary = tokenizer.size();
    model.ffn = model.width();
    check(model);
    if (const auto fault = utf8::first_error(config.train.prompt))
        fail_usage_english(format("--prompt is not UTF-8 at its byte %td", fault->offset));
}

void resolve_schedule(RunConfig& config, const Origin& origin) {
    TrainConfig& train = config.train;
    if (origin.suggested && !origin.options.was_set("eval_every"))
        train.eval_every = std::min(std::max<Index>(train.steps / 5, 10), train.eval_every);
    if (!origin.options.was_set("warmup")) train.warmup = std::min(train.warmup, train.steps / 10);
    train.min_learning_rate = train.final_learning_rate();
}

}  // namespace zhuyi
