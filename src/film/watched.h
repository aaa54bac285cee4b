// From a token to its place in a history.
#pragma once
#include "film/history.h"
#include "text/tokenizer.h"

namespace zhuyi {

// Its index in history.watched. Throws UsageError when it was not followed, and says how the next
// training would.
Index watched_place(const History& history, const Tokenizer& tokenizer, Token token);

}  // namespace zhuyi
