// Elementary functions for scalars, in double, from + - * / and bit moves only. libm picks variants
// by processor, so its last bit differs between machines; these do not. (sqrt and rounding are
// exact by IEEE 754 and may come from the library.) The kernels have their own exp for whole
// vectors.
#pragma once
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "base/real.h"

namespace zhuyi::math {

double exp(double x);  // relative error below 1e-15; 0 below -745, infinity above 709.78
// The same for many numbers in their places, without divisions: seven times as fast, the last bit
// may differ, and x outside [-700, 700] counts as the end of the interval. (exp stays as it is: the
// angles of rotary positions, and so the bits of trainings, come from it.)
void fast_exp(std::span<double> x);
double log(double x);              // natural; relative error below 1e-15; x > 0
double power(double x, double y);  // x > 0
double sin_turns(double x);        // sin(2π x)
double cos_turns(double x);        // cos(2π x)

}  // namespace zhuyi::math

namespace zhuyi {

// Returns the index of the first number that is not finite, or nothing if all are. Works in pieces
// without a branch inside: about as fast as memory.
inline std::optional<Index> first_not_finite(In values) {
    constexpr std::size_t kPiece = 256;
    const auto finite = [](Real x) { return std::abs(x) <= std::numeric_limits<Real>::max(); };
    std::size_t i = 0;
    for (; i + kPiece <= values.size(); i += kPiece) {
        int good = 0;
        for (std::size_t j = 0; j < kPiece; ++j) good += finite(values[i + j]);
        if (good < int(kPiece)) break;
    }
    for (; i < values.size(); ++i)
        if (!finite(values[i])) return Index(i);
    return {};
}

}  // namespace zhuyi
