// What `zhuyi data` says of a text before one trains on it.
#pragma once
#include "formats/sheet.h"
#include "text/config.h"

namespace zhuyi {

class Corpus;

// What the text holds, what it repeats, which parts training would make of it (in tokens of the
// tokenizer that training would make), what counting alone can predict, and recipes for 1, 10 and
// 60 minutes. tokens_given: their tokens are those of `options`; else the recipe chooses them.
Sheet data_sheet(const Corpus& corpus, const TextOptions& options, bool tokens_given = false);

}  // namespace zhuyi
