// A model that suits a text of some size, for a command that names the text only:
// `zhuyi train poems.txt`.
#pragma once
#include "base/real.h"

namespace zhuyi {

struct Suggestion {
    Index context, channels, heads, layers, batch, steps;
    double dropout, learning_rate;
};

// characters: of the whole text; vocabulary: how many tokens there are.
Suggestion suggest_model(Index characters, Index vocabulary);

}  // namespace zhuyi
