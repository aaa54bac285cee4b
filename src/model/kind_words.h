// The kinds of parameters in words.
#pragma once
#include "base/language.h"
#include "model/parameters.h"

namespace zhuyi {

struct KindWords {
    const char* identifier;  // "W_Q", "ffn_weight": for programs
    Words name;              // at most 16 columns
    Words description;
};

const KindWords& words_of(Kind kind);

}  // namespace zhuyi
