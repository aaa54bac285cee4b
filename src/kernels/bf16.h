// Products of bf16 numbers in hardware (AVX512_BF16): one instruction multiplies two pairs and adds
// both products to a float. On AMD's cores that is twice the speed of float; kernels.cpp says where
// it pays.
//
// Its bits are those of two fused multiply-adds, the upper halves' first, with numbers below 2^-126
// taken and left as zero (Intel's manual says so; compared on millions of operands on Zen 4, Zen 5
// and an Intel Xeon). So the earlier k goes into the upper half, and PackRounded on any other
// machine gives the same sums.
#pragma once
#if defined(__AVX512BF16__)
#    include "kernels/pack.h"

namespace zhuyi::ZHUYI_INSTRUCTION_SET {
namespace {

// Where K is odd the last pair lacks its lower half: -0 in A times +0 in B, which changes no sum,
// not even -0.
template <bool OfA>
struct Pairs {
    using Left = Pairs<true>;
    using Operands = Pairs;
    static constexpr Index kPerSlot = 2;
    static constexpr Real kNothing = OfA ? Real(-0.0) : Real(0);

    [[gnu::always_inline]] static Lanes multiply_add(Real a, Lanes b, Lanes c) {
        return {_mm512_dpbf16_ps(c.v, __m512bh(_mm512_set1_ps(a)), __m512bh(b.v))};
    }
    template <class Part>
    [[gnu::always_inline]] static Lanes across(const Real* from, Index k, Index left, Part lanes) {
        alignas(64) static constexpr short kWeave[32] = {0,  16, 1,  17, 2,  18, 3,  19, 4,  20, 5,
                                                         21, 6,  22, 7,  23, 8,  24, 9,  25, 10, 26,
                                                         11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
        const Lanes earlier = load(from, lanes),
                    later = left > 1 ? load(from + k, lanes) : all(kNothing);
        const auto both = __m512i(_mm512_cvtne2ps_pbh(earlier.v, later.v));
        return {_mm512_castsi512_ps(_mm512_permutexvar_epi16(_mm512_load_si512(kWeave), both))};
    }
    [[gnu::always_inline]] static Lanes along(const Real* from, Index left) {
        const Lanes nothing = all(kNothing);
        const auto sixteen = [=](Index k) {
            return left - k >= kLanes ? load(from + k)
                   : left > k         ? choose(load(from + k, left - k), nothing, left - k)
                                      : nothing;
        };
        const Lanes earlier = sixteen(0), later = sixteen(kLanes);
        const auto both = __m512i(_mm512_cvtne2ps_pbh(later.v, earlier.v));
        return {_mm512_castsi512_ps(_mm512_rol_epi32(both, 16))};
    }
};
using PackPairs = Pairs<false>;

}  // namespace
}  // namespace zhuyi::ZHUYI_INSTRUCTION_SET
#endif
