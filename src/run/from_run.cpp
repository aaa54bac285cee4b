#include "run/from_run.h"

#include <algorithm>

#include "base/check.h"
#include "cost/run_config.h"
#include "model/parameters.h"
#include "run/run_folder.h"
#include "system/options.h"
#include "system/printable.h"
#include "text/tokenized.h"
#include "text/vocabulary.h"

namespace zhuyi {
namespace {

// What the user has set must be as the run of --from has it.
void check_agrees(const std::string& name, const Options& mine, const Options& theirs,
                  const std::string& from, const Options& options) {
    if (!options.was_set(name) || mine.value(name) == theirs.value(name)) return;
    fail_usage({"--from %1$s has %2$s = %3$s; found %4$s. Leave it out: the weights decide.",
                "--from %1$s 的 %2$s = %3$s，这里却是 %4$s。请去掉它：由权重决定。"},
               printable(from), name, theirs.value(name), mine.value(name));
}

}  // namespace

void adopt_shape(GptConfig& model, const std::string& from, const Options& options) {
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

void set_first_weights(Parameters& parameters, const RunConfig& config, const std::string& from,
                       std::uint64_t vocabulary) {
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

std::string adopt_fine_tuning(RunConfig& config, const std::string& from, const Options& options) {
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
                "--learning-rate "
                "decides\n",
                "学习率 %g：从头训练的十分之一，因为权重已经学过文本，步子太大会把学到的冲掉；"
                "可用 --learning-rate 指定\n"},
               config.train.learning_rate);
}

}  // namespace zhuyi
