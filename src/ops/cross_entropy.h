// loss = -ln softmax(z)[target], the mean over rows, in nats
#pragma once
#include <span>

#include "base/tensor.h"

namespace zhuyi {

struct CrossEntropy {
    Tensor mean;                       // (1)
    std::span<const double> each_row;  // (N) nats; valid until the tape is reset
};

// logits: (…, V), in N rows; targets: (N). A model that knows nothing has a loss of ln V.
CrossEntropy cross_entropy(const Tensor& logits, std::span<const Token> targets);

}  // namespace zhuyi
