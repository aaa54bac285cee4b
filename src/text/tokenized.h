// A corpus as tokens.
#pragma once
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace zhuyi {

class Corpus;

// Only the training part decides which characters get a token: one that stands in the validation
// part alone is spelt in bytes, as it would be in any text that the model meets later. So the
// validation loss is not too good.
CharacterTokenizer make_tokenizer(const Corpus& corpus, Index min_count);

// Each document followed by <|endoftext|>.
struct TokenizedText {
    std::vector<Token> train, validation;
    // By Tokenizer::characters: each document's end counts as one.
    Index train_characters = 0, validation_characters = 0;
};
TokenizedText tokenize(const Corpus& corpus, const Tokenizer& tokenizer);

// Any documents (for `eval`), all in one row.
std::vector<Token> tokenize(const std::vector<std::string_view>& documents,
                            const Tokenizer& tokenizer);

}  // namespace zhuyi
