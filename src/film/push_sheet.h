// Which words pushed an embedding over a whole training, as a sheet.
#pragma once
#include "film/history.h"
#include "formats/sheet.h"

namespace zhuyi {

class Tokenizer;

// What each context has added to E[token] from step 0 up to the last frame that recorded it
// (film/pushes.h). `towards` are tokens; the place of their embedding at the end gives a direction.
// If it is empty, the nearest ones are taken. The sections are whole, contexts, towards. Throws
// UsageError if the training did not record it for this token; the message says for which it did,
// and how to.
Sheet push_sheet(const History& history, const Tokenizer& tokenizer, Token token,
                 std::vector<Token> towards);

}  // namespace zhuyi
