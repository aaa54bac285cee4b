// What becomes of a product's elements when they are complete: done at the end of each task, while
// what it wrote is still in the second-level cache.
#pragma once
#include "kernels/gelu.h"

namespace zhuyi::ZHUYI_INSTRUCTION_SET {
namespace {

// C -> gelu(C), and the slope beside it, so that backward needs no e^x again: rows [m, m + rows),
// columns [n, n + width)
inline void finish_rows(const Gemm& g, Index m, Index rows, Index n, Index width) {
    for (Index i = m; i < m + rows; ++i) {
        Real* const c = g.C.data + i * g.stride + n;
        Real* const slope = g.slope ? g.slope + i * g.stride + n : nullptr;
        for_lanes(width, [=](Index j, auto part) {
            const Lanes x = load(c + j, part);
            const Sigmoid sigmoid = sigmoid_of_2u(x);
            store(c + j, gelu(x, sigmoid), part);
            if (slope) store(slope + j, gelu_slope(x, sigmoid), part);
        });
    }
}

}  // namespace
}  // namespace zhuyi::ZHUYI_INSTRUCTION_SET
