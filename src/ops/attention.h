// mix = softmax(Q Kᵀ / √d_k) V, head by head
// (Vaswani et al. 2017, equation 1 and section 3.2.2)
#pragma once
#include "base/tensor.h"

namespace zhuyi {

class PastOfBlock;

enum class Mask { causal, none };

// Q: (B, T, H d_k)   K: (B, S, H d_k)   V: (B, S, H d_v)   mix: (B, T, H d_v)
// A head owns d_k (or d_v) columns; the heads stand side by side.
//
// The queries are the last T of S positions; S > T only in inference. With the causal mask a query
// sees its own position and those before it. With a `past` (kernels/past.h) K and V hold only the T
// new positions; they are appended to the keys and values in `past`, and the queries see all S.
// A watcher gets "weights" (B, H, T, S): row t says how much position t attends to each position.
Tensor attention(const Tensor& Q, const Tensor& K, const Tensor& V, Index heads,
                 Mask mask = Mask::causal, PastOfBlock* past = nullptr);

}  // namespace zhuyi
