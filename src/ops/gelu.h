// y = x Φ(x), in the tanh form of Hendrycks and Gimpel (arXiv 1606.08415)
#pragma once
#include "autograd/tape.h"

namespace zhuyi {

// Any shape. y = x/2 (1 + tanh(√(2/π) (x + 0.044715 x³))): GPT-2's smooth gate. Near 0 it passes
// half, far above 0 all, far below 0 nothing.
Tensor gelu(const Tensor& x);

}  // namespace zhuyi
