// A post-mortem (train/post_mortem.h) for a person: what went wrong where, what to try, what is left.
#pragma once
#include <string>

#include "base/language.h"
#include "text/tokenizer.h"
#include "train/post_mortem.h"

namespace zhuyi {

// Some lines, without a newline behind the last.
std::string post_mortem_text(const PostMortem& found, const TrainConfig& config,
                             const Tokenizer& tokenizer, const std::string& run, Language language);

}  // namespace zhuyi
