// What becomes of a product's elements when they are complete: done while the tile is still in the
// first-level cache.
#pragma once
#include "kernels/gelu.h"

namespace zhuyi::ZHUYI_INSTRUCTION_SET {
namespace {

// C -> gelu(C), and the slope beside it, so that backward needs no e^x again: rows [m, m + rows),
// columns [n, n + width)
inline void finish_rows(const Gemm& g, Index m, Index rows, Index n, Index width) {
    for (Index i = m; i < m + rows; ++i)
        for_lanes(width, [&](Index j, auto part) {
            const Index at = i * g.stride + n + j;
            const Lanes x = load(g.C.data + at, part);
            const Sigmoid sigmoid = sigmoid_of_2u(x);
            store(g.C.data + at, gelu(x, sigmoid), part);
            if (g.slope) store(g.slope + at, gelu_slope(x, sigmoid), part);
        });
}

}  // namespace
}  // namespace zhuyi::ZHUYI_INSTRUCTION_SET
