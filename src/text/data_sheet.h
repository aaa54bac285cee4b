// What `zhuyi data` says of a text before one trains on it.
#pragma once
#include "formats/sheet.h"
#include "text/config.h"

namespace zhuyi {

class Corpus;

// What the text holds, what it repeats, how training would part it (with the tokenizer that
// training would make), what counting alone can do, and a recipe.
Sheet data_sheet(const Corpus& corpus, const TextOptions& options);

}  // namespace zhuyi
