// Loops in which no number depends on another; memory limits their speed: sums and products of
// arrays, dropout, AdamW, and the two loops of Muon around orthogonal.h.
#pragma once
#include "kernels/kernels.h"
#include "kernels/loops.h"

namespace zhuyi::ZHUYI_INSTRUCTION_SET {
namespace {

inline void add(Real* y, const Real* a, const Real* b, Index count) {
    for_all(count, 0.2,
            [=](Index i, auto part) { store(y + i, load(a + i, part) + load(b + i, part), part); });
}

inline void multiply(Destination y, const Real* a, const Real* b, Index count) {
    for_all(count, 0.2,
            [=](Index i, auto part) { put(y, i, load(a + i, part) * load(b + i, part), part); });
}

inline void accumulate(Destination dx, const Real* dy, Index count) {
    for_all(count, 0.2, [=](Index i, auto part) { put(dx, i, load(dy + i, part), part); });
}

// ---- dropout

// SplitMix64's mixing, as base/random.h has it; a copy, for this object may not share a function
// with others.
[[gnu::always_inline]] inline std::uint64_t mixed(std::uint64_t z) {
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

inline void dropout(Destination y, const Real* x, Index count, double p, std::uint64_t key) {
    const auto threshold = std::uint64_t(p * 0x1p32);
    const Real kept = Real(1 / (1 - p));
    for_all(count, 1, [=](Index i, auto part) {
        Real factor[16];
        for (int pair = 0; pair < 8; ++pair) {
            const std::uint64_t bits =
                mixed(key + std::uint64_t(i / 2 + pair) * 0x9e3779b97f4a7c15u);
            factor[2 * pair] = (bits & 0xffffffffu) < threshold ? Real(0) : kept;
            factor[2 * pair + 1] = (bits >> 32) < threshold ? Real(0) : kept;
        }
        put(y, i, load(x + i, part) * load(factor), part);
    });
}

// ---- AdamW in one loop: it reads four arrays and writes three, and only that takes time. With the
// bias corrections taken out of the loop,
//     w ← w (1 - lr wd) - (lr / (1 - β1^t)) m / (√v / √(1 - β2^t) + ε).

inline double power(double base, Index exponent) {
    double result = 1;
    for (; exponent > 0; exponent /= 2, base *= base)
        if (exponent % 2) result *= base;
    return result;
}

inline void adamw(Real* weights, const Real* gradients, Real* m, Real* v, Index count,
                  const AdamWStep& s) {
    const Real beta1 = Real(s.beta1), rest1 = Real(1 - s.beta1);
    const Real beta2 = Real(s.beta2), rest2 = Real(1 - s.beta2);
    const Real rate = Real(s.learning_rate / (1 - power(s.beta1, s.step)));
    const Real correction = Real(1 / __builtin_sqrt(1 - power(s.beta2, s.step)));
    const Real kept = Real(1 - s.learning_rate * s.weight_decay), epsilon = Real(s.epsilon);
    const Real scale = Real(s.gradient_scale);
    for_all(count, 1, [=](Index i, auto part) {
        const Lanes g = load(gradients + i, part) * all(scale);
        const Lanes mean = fma(all(beta1), load(m + i, part), all(rest1) * g);
        const Lanes square = fma(all(beta2), load(v + i, part), all(rest2) * g * g);
        const Lanes step = mean / fma(square_root(square), all(correction), all(epsilon));
        store(m + i, mean, part);
        store(v + i, square, part);
        store(weights + i, fma_minus(all(rate), step, load(weights + i, part) * all(kept)), part);
    });
}

// ---- Muon

inline void momentum(Real* u, Real* m, const Real* gradients, Index count, double mu, double s) {
    const Real kept = Real(mu), scale = Real((1 - mu) * s);
    for_all(count, 0.5, [=](Index i, auto part) {
        const Lanes g = load(gradients + i, part) * all(scale);
        const Lanes mean = fma(all(kept), load(m + i, part), g);
        store(m + i, mean, part);
        store(u + i, fma(all(kept), mean, g), part);
    });
}

inline void descend(Real* w, const Real* y, Index count, double keep, double rate) {
    const Real kept = Real(keep), factor = Real(rate);
    for_all(count, 0.3, [=](Index i, auto part) {
        store(w + i, fma_minus(all(factor), load(y + i, part), load(w + i, part) * all(kept)),
              part);
    });
}

}  // namespace
}  // namespace zhuyi::ZHUYI_INSTRUCTION_SET
