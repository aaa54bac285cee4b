#include "formats/half.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace zhuyi {

std::uint16_t half_of(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x), sign = bits >> 16 & 0x8000u;
    const float size = std::bit_cast<float>(bits & 0x7FFFFFFFu);
    if (!(size == size)) return std::uint16_t(sign | 0x7E00u);
    if (size >= 65520.0f) return std::uint16_t(sign | 0x7C00u);
    // In units of the last of its ten bits (2^-24 for the denormals) the number is 2^10 … 2^11, or
    // less; nearbyint rounds as the processor does, ties to even.
    const int exponent = std::max(std::ilogb(size == 0 ? 0x1p-24f : size), -14);
    const float unit = std::ldexp(1.0f, exponent - 10);
    const auto steps = std::uint32_t(std::nearbyint(size / unit));
    return std::uint16_t(sign + (std::uint32_t(exponent + 14) << 10) + steps);
}

float from_half(std::uint16_t bits) {
    const std::uint32_t sign = std::uint32_t(bits & 0x8000) << 16, fraction = bits & 0x3FF;
    const std::uint32_t exponent = bits >> 10 & 0x1F;
    if (exponent == 0) {
        const float small = float(fraction) * 0x1p-24f;  // zero and the denormals
        return sign ? -small : small;
    }
    const std::uint32_t wide = exponent == 31 ? 255 : exponent + 127 - 15;
    return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

}  // namespace zhuyi
