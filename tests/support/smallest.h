// Which results ARM and x86 flush differently, and how many there were (scripts/count_smallest.sh).
#pragma once

namespace zhuyi {
inline namespace support {

// Is |a b + c|, or |a / b|, below 2^-126 before anything is rounded? For operands whose rounded
// result is 2^-126 or -2^-126.
bool lies_below(float a, float b, float c);
bool lies_below(float a, float b);

// How many results were 2^-126 or -2^-126, and how many of those lay below. A program that the
// script makes says so when it ends.
struct Smallest {
    long all, below;
};
Smallest smallest();

// One result and the operands it is made of
void count_smallest(bool below);
template <class... Operands>
void count_result(float result, Operands... of) {
    if (result == 0x1p-126f || result == -0x1p-126f) count_smallest(lies_below(of...));
}

}  // namespace support
}  // namespace zhuyi
