// Rotary positions (Su et al. 2021): pairs of numbers turned by the angle of their position.
#pragma once
#include "kernels/kernels.h"
#include "kernels/loops.h"

namespace zhuyi::ZHUYI_INSTRUCTION_SET {
namespace {

inline void rotary(Destination y, const Real* x, const Real* angles, Index N, Index T, Index H,
                   Index D, Turn turn) {
    const Index half = D / 2;
    const Real sign = turn == Turn::forth ? Real(1) : Real(-1);
    for_rows(N, H * D, 0.5, [=](Index r) {
        const Real *cosines = angles + r % T * D, *sines = cosines + half;
        for (Index first = r * H * D; first < (r + 1) * H * D; first += D)
            for_lanes(half, [=](Index i, auto part) {
                const Lanes a = load(x + first + i, part), b = load(x + first + half + i, part);
                const Lanes c = load(cosines + i, part), s = load(sines + i, part) * all(sign);
                put(y, first + i, fma_minus(b, s, a * c), part);   // a cos - b sin
                put(y, first + half + i, fma(a, s, b * c), part);  // a sin + b cos
            });
    });
}

}  // namespace
}  // namespace zhuyi::ZHUYI_INSTRUCTION_SET
