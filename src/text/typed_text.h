// From what a person types to tokens.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace zhuyi {

// Throws UsageError, with the first wrong byte, when what a person typed is no UTF-8; `option`
// names it in the message ("--prompt").
void require_utf8(std::string_view text, const std::string& option);

// The tokens of a text that a model is to read. Throws UsageError when it is empty, is no UTF-8, or
// has more tokens than `context`; `option` names it in the message ("--text").
std::vector<Token> typed_text(const Tokenizer& tokenizer, std::string_view text, Index context,
                              const char* option);

// The token that is this character, or whose name in vocabulary.txt this is (\n, ⟨E8⟩,
// <|endoftext|>). Throws UsageError for a text of several tokens, and says which.
Token single_token(const Tokenizer& tokenizer, std::string_view text);

}  // namespace zhuyi
