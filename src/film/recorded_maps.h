// Attention as it was recorded: the same maps as those of a model in memory, of an earlier step.
#pragma once
#include <string_view>

#include "attention/maps.h"
#include "film/history.h"

namespace zhuyi {

// Throws UsageError when the text is none of the recorded sentences, or the step none of the
// frames, and says which there are.
AttentionMaps recorded_maps(const History& history, const Tokenizer& tokenizer,
                            std::string_view text, Index step);

}  // namespace zhuyi
