// A corpus as tokens.
#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace zhuyi {

class Corpus;
struct TextOptions;

// Only the training part decides which characters get a token, and which bytes are joined: a
// character that stands in the validation part alone is spelt in bytes, as it would be in any text
// that the model meets later. So the validation loss is not too good. Errors: those of
// train_byte_pairs.
std::unique_ptr<Tokenizer> make_tokenizer(const Corpus& corpus, const TextOptions& options);

// The options say what this tokenizer is, which was not made by them: that of an imported model, or
// of --from.
void adopt(TextOptions& options, const Tokenizer& tokenizer);

// Each document followed by <|endoftext|>.
struct TokenizedText {
    std::vector<Token> train, validation;
    // By Tokenizer::characters: each document's end counts as one.
    Index train_characters = 0, validation_characters = 0;
};
// A loss in nats per token times this is the loss per character. Only that can be compared between
// tokenizers: a text has the same characters, however many tokens they take.
struct TokensPerCharacter {
    double train = 1, validation = 1;
};
TokensPerCharacter tokens_per_character(const TokenizedText& text);

TokenizedText tokenize(const Corpus& corpus, const Tokenizer& tokenizer);

// Any documents (for `eval`), all in one row.
std::vector<Token> tokenize(const std::vector<std::string_view>& documents,
                            const Tokenizer& tokenizer);

}  // namespace zhuyi
