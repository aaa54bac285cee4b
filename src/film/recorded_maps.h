// Attention as the film has it: the same maps as those of a model in memory, of a step long past.
#pragma once
#include <string_view>

#include "attention/maps.h"
#include "film/history.h"

namespace zhuyi {

// Throws UsageError when the text is none of the film's sentences, or the step none of its frames,
// and says which there are.
AttentionMaps recorded_maps(const History& film, const Tokenizer& tokenizer, std::string_view text,
                            Index step);

}  // namespace zhuyi
