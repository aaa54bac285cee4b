// loss = -ln softmax(z)[target], the mean over rows, in nats
#pragma once
#include <span>

#include "base/tensor.h"

namespace zhuyi {

struct CrossEntropy {
    Tensor mean;                       // (1)
    std::span<const double> each_row;  // (N) nats; lives as long as the tape's step
};

// logits: (…, V), targets: one token for each of the N rows. ln V for a model that knows nothing.
CrossEntropy cross_entropy(const Tensor& logits, std::span<const Token> targets);

}  // namespace zhuyi
