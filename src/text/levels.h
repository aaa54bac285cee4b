// What a validation loss is held against, in nats per character.
#pragma once
#include <optional>
#include <string>

#include "text/ngram.h"

namespace zhuyi {

struct Levels {
    NgramLosses counting;         // what counting alone can do
    std::optional<double> floor;  // what no model can be below on average (text/floor.h)
};

// Of the text `corpus`, which was read from the file `data`.
Levels levels_of(const Corpus& corpus, const std::string& data);

}  // namespace zhuyi
