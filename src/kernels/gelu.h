// GELU in its tanh form (Hendrycks and Gimpel, arXiv 1606.08415): x (1 + tanh u) / 2 with
// u = √(2/π) (x + 0.044715 x³).
//
// As (1 + tanh u) / 2 = 1 / (1 + e^-2u), one e^x and one division do for value and slope together,
// and nothing cancels for negative x.
#pragma once
#include "kernels/elementary.h"
#include "kernels/kernels.h"
#include "kernels/loops.h"

namespace zhuyi::ZHUYI_INSTRUCTION_SET {
namespace {

constexpr Real kTwiceRoot = Real(2 * 0.7978845608028654);  // 2 √(2/π)
constexpr Real kCube = Real(0.044715);

struct Sigmoid {
    Lanes e;  // e^-2u
    Lanes s;  // 1 / (1 + e)
};

[[gnu::always_inline]] inline Sigmoid sigmoid_of_2u(Lanes x) {
    const Lanes e = exp(x * fma(x * x, all(-kTwiceRoot * kCube), all(-kTwiceRoot)));
    return {e, all(1) / (all(1) + e)};
}

[[gnu::always_inline]] inline Lanes gelu(Lanes x, Sigmoid at) { return x * at.s; }

// s' = e s² · 2u',  so  gelu' = s + x (e s) s · 2u'
[[gnu::always_inline]] inline Lanes gelu_slope(Lanes x, Sigmoid at) {
    const Lanes twice_u_slope = fma(x * x, all(3 * kTwiceRoot * kCube), all(kTwiceRoot));
    return fma(x * (at.e * at.s) * at.s, twice_u_slope, at.s);
}

inline void gelu_forward(Real* y, const Real* x, Index count) {
    for_all(count, 1, [=](Index i, auto part) {
        const Lanes a = load(x + i, part);
        store(y + i, gelu(a, sigmoid_of_2u(a)), part);
    });
}

inline void gelu_backward(Destination dx, const Real* dy, const Real* x, Index count) {
    for_all(count, 1, [=](Index i, auto part) {
        const Lanes a = load(x + i, part);
        put(dx, i, load(dy + i, part) * gelu_slope(a, sigmoid_of_2u(a)), part);
    });
}

}  // namespace
}  // namespace zhuyi::ZHUYI_INSTRUCTION_SET
