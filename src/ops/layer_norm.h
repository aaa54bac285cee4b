// y = gamma n + beta,   n = (x - mean) / √(variance + 1e-5)
// (Ba, Kiros, Hinton: arXiv 1607.06450)
#pragma once
#include "base/tensor.h"

namespace zhuyi {

// x, y: (…, C), each row on its own. gamma, beta: (C).
Tensor layer_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta);

}  // namespace zhuyi
