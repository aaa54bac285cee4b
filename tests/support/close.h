// Near enough, with a sign: doctest's own Approx takes 3e-6 for -3e-6.
#pragma once
#include <algorithm>
#include <cmath>

namespace zhuyi {
inline namespace support {

// |a - b| <= abs + rel * max(|a|, |b|). NaN is close to nothing, an infinity only to itself.
inline bool close(double a, double b, double abs, double rel = 0) {
    if (std::isinf(a) || std::isinf(b)) return a == b;
    return std::abs(a - b) <= abs + rel * std::max(std::abs(a), std::abs(b));
}

}  // namespace support
}  // namespace zhuyi
