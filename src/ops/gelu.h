// y = x Φ(x) (Hendrycks and Gimpel, arXiv 1606.08415): a smooth gate. Near 0 it passes half, far
// above 0 all, far below 0 nothing.
#pragma once
#include "base/tensor.h"

namespace zhuyi {

enum class Activation {
    gelu_new,  // GPT-2's: x/2 (1 + tanh(√(2/π) (x + 0.044715 x³)))
    gelu       // x Φ(x) with Φ from erf; at most 0.0005 away from gelu_new
};

// x, y: any shape.
Tensor gelu(const Tensor& x, Activation form = Activation::gelu_new);

}  // namespace zhuyi
