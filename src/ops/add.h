// y = a + b
#pragma once
#include "base/tensor.h"

namespace zhuyi {

// a, b, y: the same shape. The residual connection of He et al. 2016: dy goes to a and to b
// unchanged, so the gradient reaches the early blocks without passing through the later ones.
Tensor add(const Tensor& a, const Tensor& b);

}  // namespace zhuyi
