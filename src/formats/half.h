// IEEE 754 binary16: a sign, 5 bits of exponent (bias 15), 10 bits of fraction.
#pragma once
#include <cstdint>

namespace zhuyi {

std::uint16_t half_of(float x);       // ties to even; infinity from 65520 on
float from_half(std::uint16_t bits);  // exact

}  // namespace zhuyi
