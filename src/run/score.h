// How well the model of a run predicts a text, in units that models with different tokens share.
#pragma once
#include <optional>
#include <string>

#include "formats/sheet.h"
#include "run/loaded_run.h"
#include "train/evaluate.h"

namespace zhuyi {

enum class ReadBy {
    window,   // windows of the whole text, as in training: most of them begin inside a document
    document  // each document from its beginning
};

struct Score {
    std::string checkpoint;  // its file
    Index step;
    std::string data;       // the file or folder that was read
    bool validation;        // only the validation part of it
    Evaluation evaluation;  // by token
    // Of the whole text. A character of three byte tokens is one, and so is a document's end.
    Index tokens, characters;
    ReadBy by = ReadBy::window;
    std::optional<double> floor = {};  // nats per character (text/ngram.h); with documents only

    double per_character() const;  // nats
    double bits() const;           // per character
    double perplexity() const;     // per character
};

// `data`: a file or folder that is predicted whole; "": the validation part of the run's own text.
// Throws Error if it is not there or too short.
Score score(const LoadedRun& run, const std::string& data, ReadBy by = ReadBy::window);

Sheet score_sheet(const Score& score);

}  // namespace zhuyi
