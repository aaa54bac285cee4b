// A trained model with its tokenizer: what is needed to use it.
#pragma once
#include <memory>

#include "model/gpt.h"
#include "model/parameters.h"
#include "text/tokenizer.h"

namespace zhuyi {

struct LoadedModel {
    std::unique_ptr<Tokenizer> tokenizer;
    std::unique_ptr<Parameters> parameters;  // values only
    std::unique_ptr<Gpt> model;
};

}  // namespace zhuyi
