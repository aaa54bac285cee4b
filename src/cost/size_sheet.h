// The sizes of a model: weights, memory, work, and shapes on the way through it.
#pragma once
#include "formats/sheet.h"
#include "model/config.h"
#include "train/config.h"

namespace zhuyi {

struct SizeWish {
    GptConfig model;  // vocabulary 0: not known; its rows count nothing and say so
    TrainConfig training;
    Index tokens = 0;      // T of the table of shapes; 0: the whole context
    bool full = false;     // every block's rows, not the first block's for all
    bool compare = false;  // known models beside this one
};

Sheet size_sheet(const SizeWish& wish);

}  // namespace zhuyi
