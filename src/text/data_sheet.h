// What `zhuyi data` says of a text before one trains on it: for a person and for a program.
#pragma once
#include <cstdint>

#include "base/language.h"
#include "formats/json.h"
#include "text/config.h"
#include "text/levels.h"
#include "text/statistics.h"
#include "text/suggestion.h"

namespace zhuyi {

class Corpus;

struct DataSheet {
    struct PartSize {
        Index documents, characters, tokens;  // each document's end counts as a character
    };
    TextStatistics text;
    Repetitions repeated;
    PartSize train, validation;
    Split split;
    Index files, vocabulary;
    TokenizerKind tokenizer;
    std::uint64_t hash;
    Suggestion suggested;
    Levels levels;  // for the validation loss
};

// With the tokenizer that training would make.
DataSheet data_sheet(const Corpus& corpus, const TextOptions& options);

Text data_text(const DataSheet& sheet);
Json data_json(const DataSheet& sheet);

}  // namespace zhuyi
