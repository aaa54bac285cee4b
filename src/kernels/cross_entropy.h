// Softmax and cross-entropy in one: the probabilities of a batch (N x V, the largest array of a
// small model) are never kept. Forward leaves each row's maximum and 1 / Σ exp(z - max); backward
// makes the probabilities anew from them and turns them into the gradient at once.
#pragma once
#include "base/math.h"
#include "kernels/elementary.h"
#include "kernels/kernels.h"
#include "kernels/loops.h"

namespace zhuyi::ZHUYI_INSTRUCTION_SET {
namespace {

// The largest of a row. A NaN may get lost here; it comes back in the sum of exponentials.
[[gnu::always_inline]] inline Real row_maximum(const Real* row, Index count) {
    Lanes largest = all(-__builtin_inff());
    for_lanes(count, [&](Index i, auto part) {
        largest = larger(largest, choose(load(row + i, part), largest, part));
    });
    return maximum(largest);
}

inline void cross_entropy_forward(double* loss, Real* row_max, Real* row_scale, const Real* logits,
                                  const Token* targets, Index N, Index V, Index stride) {
    for_rows(N, V, 1, [=](Index r) {
        const Real* z = logits + r * stride;
        const Real max = row_maximum(z, V);
        Lanes total = all(0);
        for_lanes(V, [&](Index v, auto part) {
            total = total + choose(exp(load(z + v, part) - all(max)), all(0), part);
        });
        const Real sum_of_exp = sum(total);
        loss[r] = math::log(double(sum_of_exp)) - (double(z[targets[r]]) - double(max));
        row_max[r] = max, row_scale[r] = 1 / sum_of_exp;
    });
}

inline void cross_entropy_backward(Destination dlogits, const Real* logits, const Real* row_max,
                                   const Real* row_scale, const Token* targets, Real scale, Index N,
                                   Index V, Index stride) {
    if (!dlogits) return;
    for_rows(N, V, 1, [=](Index r) {
        const Real* z = logits + r * stride;
        const Lanes max = all(row_max[r]), factor = all(row_scale[r] * scale);
        for_lanes(V, [&](Index v, auto part) {
            put(dlogits, r * stride + v, exp(load(z + v, part) - max) * factor, part);
        });
        dlogits.data[r * stride + targets[r]] -= scale;
    });
}

}  // namespace
}  // namespace zhuyi::ZHUYI_INSTRUCTION_SET
