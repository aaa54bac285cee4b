// Numbers that are numbers: neither infinite nor NaN.
#pragma once
#include <cmath>
#include <limits>
#include <optional>

#include "base/real.h"

namespace zhuyi {

// The index of the first number that is not finite. Works in pieces without a branch inside: about
// as fast as memory.
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
