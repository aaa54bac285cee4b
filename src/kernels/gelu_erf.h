// GELU as it was first defined (Hendrycks and Gimpel, arXiv 1606.08415): x Φ(x), with the normal
// distribution's own Φ instead of a tanh near it. Models from elsewhere may have been trained with
// it.
#pragma once
#include "kernels/elementary.h"
#include "kernels/kernels.h"
#include "kernels/loops.h"

namespace zhuyi::ZHUYI_INSTRUCTION_SET {
namespace {

// e^{z²} erfc(z) for z >= 0 falls like 1/z and has no other feature, so with t = 3 / (3 + z) in
// (0, 1] it is t times a function of t that a short polynomial in u = 2t - 1 follows everywhere:
// Chebyshev's interpolation, its terms collected by powers (all of them small, so nothing cancels).
// Relative error 1e-8 with 12 terms, 3e-17 with 24.
constexpr Real kErfcFloat[] = {
    Real(-6.551970187e-6), Real(2.260987852e-5),   Real(8.832780724e-5), Real(-0.0001692835262),
    Real(-0.001009141486), Real(-0.0004107903472), Real(0.008941790038), Real(0.03984410023),
    Real(0.1034891631),    Real(0.1967426585),     Real(0.2944648151),   Real(0.3580023041)};
constexpr Real kErfcDouble[] = {
    Real(-2.70356243206333e-10),   Real(2.31831407750467e-12),    Real(2.89792475634527553e-9),
    Real(-1.18938856190923673e-9), Real(-1.70608073233735647e-8), Real(1.66526405535908245e-8),
    Real(7.79512266971350793e-8),  Real(-1.37228426997053514e-7), Real(-3.32939004763699132e-7),
    Real(9.22582964020140641e-7),  Real(1.5830094253678584e-6),   Real(-5.82385740763600637e-6),
    Real(-1.01326838619089361e-5), Real(3.58539236368128276e-5),  Real(9.22592713407136569e-5),
    Real(-0.00018276991424949872), Real(-0.00101135399868604607), Real(-0.000404138873943161846),
    Real(0.0089424115413504719),   Real(0.0398425870956663126),   Real(0.103489087300194408),
    Real(0.196742785701369324),    Real(0.294464817723294487),    Real(0.358002302362779894)};

template <std::size_t Terms>
[[gnu::always_inline]] inline Lanes polynomial(const Real (&terms)[Terms], Lanes u) {
    Lanes p = all(terms[0]);
    for (std::size_t k = 1; k < Terms; ++k) p = fma(p, u, all(terms[k]));
    return p;
}

struct NormalTail {
    Lanes tail;  // 1 - Φ(|x|)
    Lanes bell;  // e^{-x²/2}
};

[[gnu::always_inline]] inline NormalTail normal_tail(Lanes size) {
    constexpr Real kRootHalf = Real(0.70710678118654752);
    const Lanes three = all(Real(3)), t = three / fma(size, all(kRootHalf), three);
    const Lanes u = fma(t, all(Real(2)), all(Real(-1)));
    const Lanes p = sizeof(Real) == 4 ? polynomial(kErfcFloat, u) : polynomial(kErfcDouble, u);
    const Lanes bell = exp(size * size * all(Real(-0.5)));
    return {bell * t * p * all(Real(0.5)), bell};
}

[[gnu::always_inline]] inline Lanes size_of(Lanes x) { return larger(x * all(Real(-1)), x); }

// x Φ(x) = max(x, 0) - |x| (1 - Φ(|x|)): no branch, and small results keep their digits whatever
// the sign of x.
[[gnu::always_inline]] inline Lanes gelu_erf(Lanes x) {
    const Lanes size = size_of(x);
    return fma_minus(size, normal_tail(size).tail, larger(all(Real(0)), x));
}

// Φ(x) + x φ(x), where Φ(x) = 1/2 ± (1/2 - tail) by the sign of x. The sign is x · 2^60, cut to
// [-1, 1]: it is ±1 unless x is so near 0 that the bracket is 0 too.
[[gnu::always_inline]] inline Lanes gelu_erf_slope(Lanes x) {
    const NormalTail at = normal_tail(size_of(x));
    const Lanes sign = larger(all(Real(-1)), smaller(all(Real(1)), x * all(Real(0x1p60))));
    const Lanes half = all(Real(0.5)), phi = at.bell * all(Real(0.3989422804014326779));
    return fma(x, phi, fma(sign, half - at.tail, half));
}

inline void gelu_erf_forward(Real* y, const Real* x, Index count) {
    for_all(count, 2, [=](Index i, auto part) { store(y + i, gelu_erf(load(x + i, part)), part); });
}

inline void gelu_erf_backward(Destination dx, const Real* dy, const Real* x, Index count) {
    for_all(count, 2, [=](Index i, auto part) {
        put(dx, i, load(dy + i, part) * gelu_erf_slope(load(x + i, part)), part);
    });
}

}  // namespace
}  // namespace zhuyi::ZHUYI_INSTRUCTION_SET
