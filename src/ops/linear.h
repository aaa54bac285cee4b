// y = x W + b
#pragma once
#include <array>

#include "base/tensor.h"
#include "ops/gelu.h"

namespace zhuyi {

struct Affine {
    Tensor W;  // (in, out)
    Tensor b;  // (out), or absent
};

// x: (…, in), y: (…, out)
Tensor linear(const Tensor& x, const Affine& map);

// Q, K and V: three maps of one x, y[i] = x W_i + b_i. Faster than three calls: x is read once.
std::array<Tensor, 3> linear(const Tensor& x, const std::array<Affine, 3>& maps);

// gelu(x W + b). In the tanh form the product computes the value of gelu and its slope itself, so
// that x W + b, named "hidden", need not be kept: it exists only if a watcher wants it. In the erf
// form it always exists.
Tensor gelu_of_linear(const Tensor& x, const Affine& map, Activation form);

// Scores of x against every row of a table: y = x Eᵀ. x: (…, C), E: (V, C), y: (…, V). The output
// head that is tied to the token embedding (Press and Wolf, arXiv 1608.05859).
Tensor unembedding(const Tensor& x, const Tensor& E);

}  // namespace zhuyi
