// What training is about to do, said before it begins.
#pragma once
#include <string>
#include <vector>

#include "base/language.h"
#include "model/parameters.h"
#include "text/corpus.h"
#include "train/run_folder.h"

namespace zhuyi {

// The data, what a model must beat, the resolved options, the parameters by kind, memory and disk (app/needs.h), and a
// warning when the text is too small for the model.
std::string plan_text(const RunConfig& config, const Corpus& corpus, const TokenizedText& text,
                      const Tokenizer& tokenizer, const std::vector<Parameter>& table,
                      Language language);

// A sample on one line: newlines become ⏎, control characters visible symbols.
std::string one_line(const std::string& text);

}  // namespace zhuyi
