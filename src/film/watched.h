// From what a person types to a token, and to its place in a film.
#pragma once
#include <string>

#include "film/history.h"
#include "text/tokenizer.h"

namespace zhuyi {

// The token that is this character, or whose name in vocabulary.txt this is (\n, ⟨E8⟩, <|endoftext|>).
// Throws UsageError for a text of several tokens, and says which.
Token single_token(const Tokenizer& tokenizer, const std::string& text);

// Its place in film.start.watched. Throws UsageError when the film does not follow it, and says how
// the next one would.
Index watched_place(const History& film, const Tokenizer& tokenizer, Token token);

}  // namespace zhuyi
