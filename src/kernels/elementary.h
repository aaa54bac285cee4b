// e^x for sixteen numbers at once, from multiplications and additions only. A library's exp chooses
// its code by the processor, takes 3 ns a number, and may differ in the last bit.
#pragma once
#include "kernels/lanes.h"

namespace zhuyi::ZHUYI_INSTRUCTION_SET {
namespace {

// e^x = 2^n e^r with n = round(x / ln 2), so |r| <= ln 2 / 2 = 0.347.
//
// Adding 1.5 · 2^23 rounds to a whole number, because the sum has no room for a fraction; its low
// bits then hold n, which power_of_two moves into the exponent. ln 2 is subtracted in two pieces,
// the first short enough for n times it to be exact (Cody and Waite 1980). What is left is a
// polynomial: in float (e^r - 1 - r) / r² interpolated at five Chebyshev points, 1e-8 off at most;
// in double Taylor's series to r^13, 4e-18 off.
//
// For x outside [-87, 88] (float) it gives the value at the end of the interval: a number near the
// smallest normal one, not zero; near the largest, not infinity. Relative error in float below
// 2e-7. A NaN stays a NaN: it survives as the second operand of smaller and larger.
[[gnu::always_inline]] inline Lanes exp(Lanes x) {
    if constexpr (sizeof(Real) == 4) {
        x = larger(all(Real(-87)), smaller(all(Real(88)), x));
        const Lanes whole = all(Real(0x1.8p23));
        const Lanes shifted = fma(x, all(Real(1.44269504)), whole), n = shifted - whole;
        const Lanes r =
            fma_minus(n, all(Real(1.42860677e-6)), fma_minus(n, all(Real(0.693145752)), x));
        Lanes p = all(Real(0.001392617612));
        p = fma(p, r, all(Real(0.008363173075)));
        p = fma(p, r, all(Real(0.041666554662)));
        p = fma(p, r, all(Real(0.166665770256)));
        p = fma(p, r, all(Real(0.5)));
        p = fma(p, r, all(Real(1)));
        p = fma(p, r, all(Real(1)));
        return p * power_of_two(shifted);
    } else {
        x = larger(all(Real(-708)), smaller(all(Real(709)), x));
        const Lanes whole = all(Real(0x1.8p52));
        const Lanes shifted = fma(x, all(Real(1.4426950408889634)), whole), n = shifted - whole;
        const Lanes r = fma_minus(n, all(Real(0x1.ef35793c7673p-45)),
                                  fma_minus(n, all(Real(0x1.62e42fefa38p-1)), x));
        Lanes p = all(Real(1));
        for (int k = 13; k > 0; --k) p = fma(p * r, all(Real(1) / Real(k)), all(Real(1)));
        return p * power_of_two(shifted);
    }
}

}  // namespace
}  // namespace zhuyi::ZHUYI_INSTRUCTION_SET
