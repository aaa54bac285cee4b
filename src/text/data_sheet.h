// What `zhuyi data` says of a text before one trains on it.
#pragma once
#include "formats/sheet.h"
#include "text/config.h"

namespace zhuyi {

class Corpus;

// What the text holds, what it repeats, which parts training would make of it (in tokens of the
// tokenizer that training would make), and what counting alone can predict.
Sheet data_sheet(const Corpus& corpus, const TextOptions& options);

}  // namespace zhuyi
