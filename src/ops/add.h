// y = a + b
#pragma once
#include "base/tensor.h"

namespace zhuyi {

// a, b, y: the same shape. The residual connection of He et al. 2016: the gradient goes both ways
// unchanged, so every block hears the loss directly.
Tensor add(const Tensor& a, const Tensor& b);

}  // namespace zhuyi
