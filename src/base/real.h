// The number types of the whole program, and what a kernel may write to.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace zhuyi {

// One type for every weight, activation and gradient. `make gradcheck` builds the same sources with
// -DZHUYI_REAL=double: a central difference in float is good to three digits, in double to nine.
#ifndef ZHUYI_REAL
#    define ZHUYI_REAL float
#endif
using Real = ZHUYI_REAL;

using Index = std::ptrdiff_t;  // signed: differences and loops that count down are right
using Token = std::int32_t;    // a row of the token embedding

using In = std::span<const Real>;
using Out = std::span<Real>;

// How exactly the factors of matrix products are kept; sums and weights stay fp32.
enum class Precision { fp32, bf16 };

// Where a result goes, and whether it is added to what is there. A gradient is a sum of parts: the
// first part is stored (add == false), so that no time is spent on zeroing memory, and each
// later one is added. data is null if nobody wants the result (the gradient of a frozen
// parameter).
struct Destination {
    Real* data = nullptr;
    bool add = false;
    explicit operator bool() const { return data != nullptr; }
};

}  // namespace zhuyi
