// A corpus as tokens, and the windows of tokens that a model reads.
#pragma once
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/real.h"
#include "text/corpus.h"
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

Index tokens_counted(const Tokenizer& tokenizer);  // of the training part that it was made from

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

// ---- windows of a text: a training step sees some of them, an evaluation all of them
//
// A window of T positions needs T + 1 tokens: the target at position t is the input at t + 1.
//
//     tokens    猫 吃 鱼 。        inputs  猫 吃 鱼
//                                targets 吃 鱼 。
//
// (text/batches.h draws those of a training step.)

// Throws Error when a part is too short: training needs context + 1 tokens, validation 2.
void check_length(const TokenizedText& text, Index context);

struct Window {
    Index begin, length;  // inputs [begin, begin + length), targets one further
};

// Returns the windows of a text of `tokens` tokens, one after the other from the front: every token
// but the first is predicted exactly once. All windows have T positions; only the last may have
// fewer. A text of fewer than two tokens has no window.
std::vector<Window> windows(Index tokens, Index T);

// The text of a training: read, with its tokenizer, and cut into tokens.
struct TrainingText {
    Corpus corpus;
    std::unique_ptr<Tokenizer> tokenizer;
    TokenizedText tokens;
};

}  // namespace zhuyi
