// Sixteen numbers side by side: the only vector the kernels know. Its width is part of the numbers,
// not of the machine: where registers are narrower (8 floats with AVX2, 4 in the portable build)
// two or four of them make one Lanes, so a sum over lanes is the same sum everywhere.
//
// Each instruction set supplies the elementary operations (lanes_portable.h is the one to read);
// what can be said through them stands here. Two rules keep the bits equal:
//   - nothing but IEEE 754 operations (+ - * / √ and the fused multiply-add), never an approximate
//     reciprocal;
//   - a tail of n < 16 numbers is a full vector whose other lanes are zero or are ignored, never a
//     scalar loop.
//
// Everything lives in a namespace named after the instruction set and, within it, in an unnamed
// one: two objects compiled for different processors must not share a single function, for the
// linker would keep one copy and run it on both (scripts/check_instruction_sets.sh looks).
#pragma once
#include "base/real.h"

#if defined(__AVX512F__)
#    include "kernels/lanes_avx512.h"
#elif defined(__AVX2__)
#    include "kernels/lanes_avx2.h"
#else
#    include "kernels/lanes_portable.h"
#endif

namespace zhuyi::ZHUYI_INSTRUCTION_SET {
namespace {

constexpr Index kLanes = 16;

constexpr Index smaller_of(Index a, Index b) { return a < b ? a : b; }
constexpr Index larger_of(Index a, Index b) { return a > b ? a : b; }
constexpr Index round_up(Index count, Index unit) { return (count + unit - 1) / unit * unit; }

// How much of a vector counts. A loop's body takes one of them and is written once for both.
struct All {
    static constexpr Index count() { return kLanes; }
};
struct First {  // n lanes, 0 <= n <= 16
    Index n;
    Index count() const { return n; }
};

[[gnu::always_inline]] inline Lanes load(const Real* from, All) { return load(from); }
[[gnu::always_inline]] inline Lanes load(const Real* from, First part) {
    return load(from, part.n);  // the other lanes are zero
}
[[gnu::always_inline]] inline void store(Real* to, Lanes x, All) { store(to, x); }
[[gnu::always_inline]] inline void store(Real* to, Lanes x, First part) { store(to, x, part.n); }

// x where it counts, `other` elsewhere
[[gnu::always_inline]] inline Lanes choose(Lanes x, Lanes, All) { return x; }
[[gnu::always_inline]] inline Lanes choose(Lanes x, Lanes other, First part) {
    return choose(x, other, part.n);
}

// body(i, part) for i = 0, 16, 32 … below count
template <class Body>
[[gnu::always_inline]] inline void for_lanes(Index count, const Body& body) {
    Index i = 0;
    for (; i + kLanes <= count; i += kLanes) body(i, All{});
    if (i < count) body(i, First{count - i});
}

// to (+)= x
template <class Part>
[[gnu::always_inline]] inline void put(Destination to, Index i, Lanes x, Part part) {
    store(to.data + i, to.add ? load(to.data + i, part) + x : x, part);
}

}  // namespace
}  // namespace zhuyi::ZHUYI_INSTRUCTION_SET
