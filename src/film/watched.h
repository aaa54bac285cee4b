// From what a person types to a token, and to its place in a history.
#pragma once
#include <string>

#include "film/history.h"
#include "text/tokenizer.h"

namespace zhuyi {

// The token that is this character, or whose name in vocabulary.txt this is (\n, ⟨E8⟩, <|endoftext|>).
// Throws UsageError for a text of several tokens, and says which.
Token single_token(const Tokenizer& tokenizer, const std::string& text);

// Its index in history.watched. Throws UsageError when it was not followed, and says how the next
// training would.
Index watched_place(const History& history, const Tokenizer& tokenizer, Token token);

}  // namespace zhuyi
