#include "base/math.h"

#include <array>
#include <bit>
#include <cstdint>

#include "base/random.h"

namespace zhuyi::math {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLog2e = 1.4426950408889634;
constexpr double kPi = 3.141592653589793;
// ln 2 in two pieces: n * kLn2High is exact for |n| < 2^11, so x - n ln 2 loses nothing.
constexpr double kLn2High = 0x1.62e42fefa38p-1, kLn2Low = 0x1.ef35793c7673p-45;

// 2^n for n in the range of normal numbers
static double power_of_two(int n) { return std::bit_cast<double>(std::uint64_t(n + 1023) << 52); }

// e^x = 2^n e^r with n = round(x / ln 2), |r| <= ln 2 / 2; Taylor to r^13 leaves 1e-17.
double exp(double x) {
    if (x != x) return x;
    if (x > 709.78) return kInfinity;
    if (x < -745) return 0;
    const double n = std::nearbyint(x * kLog2e);
    const double r = (x - n * kLn2High) - n * kLn2Low;
    double sum = 1;
    for (int k = 13; k > 0; --k) sum = 1 + r * sum / k;  // Horner, smallest term first
    const int half = int(n) / 2;  // two factors: 2^n alone leaves the normal numbers at both ends
    return sum * power_of_two(half) * power_of_two(int(n) - half);
}

namespace {

using Two [[gnu::vector_size(16)]] = double;
using TwoBits [[gnu::vector_size(16)]] = std::int64_t;

[[gnu::always_inline]] inline Two fast_exp(Two x) {
    constexpr std::array<double, 14> kInverse = [] {  // 1 / k!
        std::array<double, 14> inverse{1};
        for (std::size_t k = 1; k < 14; ++k) inverse[k] = inverse[k - 1] / double(k);
        return inverse;
    }();
    constexpr double kRound = 0x1.8p52;  // added, it leaves no room for a fraction
    constexpr Two kLeast = {-700, -700}, kMost = {700, 700};
    x = x < kLeast ? kLeast : x;  // a NaN stays one
    x = x > kMost ? kMost : x;
    const Two shifted = x * kLog2e + kRound, n = shifted - kRound;
    const Two r = (x - n * kLn2High) - n * kLn2Low, r2 = r * r;
    Two even = r2 * kInverse[12] + kInverse[10], odd = r2 * kInverse[13] + kInverse[11];
#pragma GCC unroll 5
    for (std::size_t k = 10; k > 0; k -= 2) {  // two chains, for neither waits for the other
        even = r2 * even + kInverse[k - 2];
        odd = r2 * odd + kInverse[k - 1];
    }
    const TwoBits power = (std::bit_cast<TwoBits>(shifted) + 1023) << 52;  // 2^n
    return (even + r * odd) * std::bit_cast<Two>(power);
}

}  // namespace

void fast_exp(std::span<double> x) {
    std::size_t i = 0;
    for (; i + 2 <= x.size(); i += 2) {
        const Two e = fast_exp(Two{x[i], x[i + 1]});
        x[i] = e[0], x[i + 1] = e[1];
    }
    if (i < x.size()) x[i] = fast_exp(Two{x[i], 0})[0];
}

// x = 2^n m with m in [√½, √2);  ln m = 2 artanh(s) = 2 (s + s³/3 + s⁵/5 + …),  s = (m - 1) / (m +
// 1)
double log(double x) {
    if (!(x > 0)) return x == 0 ? -kInfinity : std::numeric_limits<double>::quiet_NaN();
    if (x == kInfinity) return x;
    int n = 0;
    if (x < 0x1p-1022) x *= 0x1p54, n = -54;  // bring subnormal numbers into reach
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
    n += int(bits >> 52) - 1023;
    double m = std::bit_cast<double>((bits & 0x000fffffffffffffu) | 0x3ff0000000000000u);
    if (m > 1.4142135623730951) m /= 2, ++n;
    const double s = (m - 1) / (m + 1), s2 = s * s;  // |s| < 0.172: s^23 / 23 is below 1e-18
    double sum = 0;
    for (int k = 21; k > 1; k -= 2) sum = s2 * (1.0 / k + sum);
    return n * kLn2High + (n * kLn2Low + 2 * s * (1 + sum));
}

double power(double x, double y) { return exp(y * log(x)); }

// One octant [0, 1/8] turn of sine and cosine is enough; the rest is symmetry.
double sin_turns(double x) { return cos_turns(x - 0.25); }

double cos_turns(double x) {
    x -= std::floor(x);      // [0, 1)
    if (x > 0.5) x = 1 - x;  // even: [0, 1/2]
    const bool negative = x > 0.25;
    if (negative) x = 0.5 - x;  // cos(π - a) = -cos a: [0, 1/4]
    double sum = 1;
    if (x <= 0.125) {  // cos a = 1 - a²/2! + a⁴/4! - …
        const double a2 = 4 * kPi * kPi * x * x;
        for (int k = 20; k > 0; k -= 2) sum = 1 - a2 * sum / (k * (k - 1));
    } else {  // cos a = sin(π/2 - a)
        const double a = 2 * kPi * (0.25 - x), a2 = a * a;
        for (int k = 21; k > 1; k -= 2) sum = 1 - a2 * sum / (k * (k - 1));
        sum *= a;
    }
    return negative ? -sum : sum;
}

}  // namespace zhuyi::math

namespace zhuyi {

Index Random::below(Index bound, Index element) const {
    __extension__ using Wide = unsigned __int128;
    return Index(Wide(bits(element)) * Wide(std::uint64_t(bound)) >> 64);
}

double Random::normal(Index element) const {
    const double radius = 1.0 - uniform(2 * element);  // in (0, 1]: log stays finite
    const double angle = uniform(2 * element + 1);
    return std::sqrt(-2.0 * math::log(radius)) * math::cos_turns(angle);
}

}  // namespace zhuyi
