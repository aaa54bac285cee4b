// From a token to its row in the watched streams of a history.
#pragma once
#include "film/history.h"

namespace zhuyi {

class Tokenizer;

// Its index in history.watched. Throws UsageError when the token was not watched; the message says
// how to watch it in the next training.
Index watched_place(const History& history, const Tokenizer& tokenizer, Token token);

}  // namespace zhuyi
