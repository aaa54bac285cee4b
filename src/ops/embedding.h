// x_t = E[id_t] + P[t]
#pragma once
#include <span>

#include "base/tensor.h"

namespace zhuyi {

// ids: B texts of T tokens, one after the other. E: (V, C), one row a token. P: (T_max, C), one
// row a position, or absent; `first` is the position of the first token (not 0 when earlier ones
// are in a cache). Gives (B, T, C).
Tensor embedding(Tape& tape, std::span<const Token> ids, Index B, const Tensor& E, const Tensor& P,
                 Index first = 0);

}  // namespace zhuyi
