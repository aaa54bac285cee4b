#include "app/train_config.h"

#include <algorithm>
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
            fail_usage("--from " + origin.from + " has " + entry.name + " = " +
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

}  // namespace

RunConfig resumed_config(RunConfig wanted, const Options& options, const std::string& run) {
    RunConfig config = read_run_config({run});
    wanted.train.min_learning_rate = wanted.train.final_learning_rate();
    Options before, after;
    declare(before, config);
    declare(after, wanted);
    for (const Options::Entry& entry : after.entries()) {
        if (!options.was_set(entry.name) || before.value(entry.name) == after.value(entry.name))
            continue;
        const bool free = entry.name == "steps" || entry.name == "eval_every" ||
                          entry.name == "save_every" || entry.name == "data" ||
                          entry.name == "history";
        if (!free && entry.name != "vocabulary" && entry.name != "ffn")
            fail_usage("--resume goes on with " + entry.name + " = " + shown(before, entry.name) +
                       " of " + run + "; found " + shown(after, entry.name) +
                       ". Leave it out, or train anew with another --out.");
        if (free) before.set(entry.name, after.value(entry.name), "--" + entry.name);
    }
    return config;
}

void resolve_model(RunConfig& config, const Origin& origin, const Corpus& corpus,
                   const Tokenizer& tokenizer) {
    GptConfig& model = config.model;
    if (!origin.from.empty()) adopt_shape(model, origin);
    if (origin.suggested)
        adopt_suggestion(config, origin, suggest_model(corpus.characters(), tokenizer.size()));
    if (model.vocabulary && model.vocabulary != tokenizer.size())
        fail_usage(
            format("vocabulary = %td, but the text gives %td tokens. Leave vocabulary out: "
                   "training takes it from the text.",
                   model.vocabulary, tokenizer.size()));
    model.vocabulary = tokenizer.size();
    model.ffn = model.width();
    check(model);
    if (const auto fault = utf8::first_error(config.train.prompt))
        fail_usage(format("--prompt is not UTF-8 at its byte %td", fault->offset));
}

void resolve_schedule(RunConfig& config, const Origin& origin) {
    TrainConfig& train = config.train;
    if (origin.suggested && !origin.options.was_set("eval_every"))
        train.eval_every = std::min(std::max<Index>(train.steps / 5, 10), train.eval_every);
    if (!origin.options.was_set("warmup")) train.warmup = std::min(train.warmup, train.steps / 10);
    train.min_learning_rate = train.final_learning_rate();
}

}  // namespace zhuyi
