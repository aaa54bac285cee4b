// The two number types of the whole program, and what a kernel may write to.
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

using Index = std::ptrdiff_t;  // signed: differences and reverse loops stay honest
using Token = std::int32_t;    // a row of the token embedding

using In = std::span<const Real>;
using Out = std::span<Real>;

// Where a gradient goes. Backward always adds; but the first addition into a gradient that nobody
// has touched yet is a store (add == false), so no pass over memory is spent on zeroing.
// data == nullptr: nobody wants this gradient (a frozen parameter, the ids of the input).
struct Sum {
    Real* data = nullptr;
    bool add = false;
    explicit operator bool() const { return data != nullptr; }
};

}  // namespace zhuyi
