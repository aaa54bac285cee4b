// A post-mortem (train/post_mortem.h) for a person: what went wrong and where, what to try, and
// which checkpoint is still good.
#pragma once
#include <string>

#include "base/language.h"

namespace zhuyi {

class Tokenizer;
struct PostMortem;
struct TrainConfig;

// Some lines, without a newline at the end. `run`: the run folder.
std::string post_mortem_text(const PostMortem& found, const TrainConfig& config,
                             const Tokenizer& tokenizer, const std::string& run);

}  // namespace zhuyi
