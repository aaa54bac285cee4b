// A recipe that suits a text of some size, for a command that names the text only:
// `zhuyi train poems.txt`.
#pragma once
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/real.h"

namespace zhuyi {

// Options by name, with the value of each.
using OptionValue = std::variant<Index, double, const char*>;
using OptionValues = std::vector<std::pair<const char*, OptionValue>>;
std::string text_of(const OptionValue& value);  // as one writes it in a configuration

struct Suggestion {
    OptionValues model;  // its sizes and positions; not where weights of another run are taken over
    OptionValues training;  // steps, rates, dropout
};

// characters: of the whole text; vocabulary: how many tokens there are.
Suggestion suggest(Index characters, Index vocabulary);

}  // namespace zhuyi
