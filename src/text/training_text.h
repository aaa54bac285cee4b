// The text of a training: read, with its tokenizer, and cut into tokens.
#pragma once
#include <memory>

#include "text/corpus.h"
#include "text/tokenized.h"

namespace zhuyi {

struct TrainingText {
    Corpus corpus;
    std::unique_ptr<Tokenizer> tokenizer;
    TokenizedText tokens;
};

}  // namespace zhuyi
