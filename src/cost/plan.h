// What training is about to do, said before it begins.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/language.h"
#include "cost/run_config.h"
#include "model/parameters.h"
#include "text/corpus.h"

namespace zhuyi {

// What this machine has for it; nothing where nobody can say.
struct Room {
    std::optional<double> memory, disk;  // bytes: before the text was read, below the run folder
    std::optional<double> seconds;       // to the end
    double step = 0;                     // seconds of one
};

// The data, what a model must beat, the resolved options, memory, disk and time, a warning when the
// text is too small for the model, and the parameters by kind.
std::string plan_text(const RunConfig& config, const Corpus& corpus, const TokenizedText& text,
                      const Tokenizer& tokenizer, const std::vector<Parameter>& table,
                      const Room& room, Language language);

// A sample on one line: newlines become ⏎, control characters visible symbols.
std::string one_line(const std::string& text);

}  // namespace zhuyi
