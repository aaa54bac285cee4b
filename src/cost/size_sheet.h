// The sizes of a model as a page for a person, or as JSON for a program.
#pragma once
#include "base/language.h"
#include "formats/json.h"
#include "model/config.h"
#include "train/config.h"

namespace zhuyi {

struct SizeSheet {
    GptConfig model;  // vocabulary 0: not known; its rows count nothing and say so
    TrainConfig training;
    Index tokens = 0;      // T of the table of shapes; 0: the whole context
    bool full = false;     // every block's rows, not the first block's for all
    bool compare = false;  // known models beside this one
};

Text size_text(const SizeSheet& sheet);
Json size_json(const SizeSheet& sheet);

}  // namespace zhuyi
