// Lanes from nothing but the compiler's own 16-byte vectors, which every 64-bit processor has:
// SSE2, NEON and whatever comes. This is also the instruction set of the double build. Bits are
// cast by the compiler itself: std::bit_cast is a function, which objects would share (lanes.h).
#pragma once
#include <cstdint>
#include <type_traits>

#if defined(__AVX__)
#    include <immintrin.h>
#elif defined(__SSE2__)
#    include <emmintrin.h>
#elif defined(__aarch64__)
#    include <arm_neon.h>
#endif

#include "base/real.h"

namespace zhuyi::ZHUYI_INSTRUCTION_SET {
namespace {

#if defined(__AVX__)  // scripts/count_smallest.sh compiles it so, to be done sooner
constexpr int kNativeBytes = 32;
#else
constexpr int kNativeBytes = 16;
#endif
using Native [[gnu::vector_size(kNativeBytes)]] = Real;
using Whole = std::conditional_t<sizeof(Real) == 4, std::int32_t, std::int64_t>;
using NativeBits [[gnu::vector_size(kNativeBytes)]] = Whole;

constexpr int kNative = kNativeBytes / sizeof(Real);  // numbers in one of them
constexpr int kParts = 16 / kNative;

struct Lanes {
    Native part[kParts];
};

// Sizes of a matrix product's tile (tile.h): 4 rows of 16 fill the registers of NEON.
constexpr int kTileRows = 4, kTileVectors = 1, kPanelRows = 4;

// The operation on each part; small loops of constant length unroll.
template <class Operation>
[[gnu::always_inline]] inline Lanes parts(const Operation& operation) {
    Lanes x;
#pragma GCC unroll 8
    for (int i = 0; i < kParts; ++i) x.part[i] = operation(i);
    return x;
}

// A result below 2^-126 becomes zero: on ARM before it is rounded, on x86 after. They differ where
// it rounds up to 2^-126. scripts/count_smallest.sh counts such results with count_result() of
// tests/support/smallest.h, here they are let through. (A sum or a difference that small is exact,
// and a square root is never that small.)
#if defined(ZHUYI_COUNT_SMALLEST)
template <class... Operands>  // by value: what is looked at in memory need not lie there before
[[gnu::noinline, gnu::cold]] inline void count_each(Lanes result, Operands... of) {
    for (int i = 0; i < 16; ++i)
        count_result(float(result.part[i / kNative][i % kNative]),
                     float(of.part[i / kNative][i % kNative])...);
}
template <class... Operands>  // sixteen at once: hardly ever is there one
[[gnu::always_inline]] inline Lanes seen(Lanes result, Operands... of) {
    const auto size = [](Native x) { return x < Native{} ? -x : x; };
    NativeBits found{};
    for (const Native& part : result.part) found |= size(part) == Native{} + Real(0x1p-126);
    bool any = false;
#    if defined(__AVX__)
    any = _mm256_movemask_ps(__builtin_bit_cast(__m256, found)) != 0;
#    else
    for (int i = 0; i < kNative; ++i) any |= found[i] != 0;
#    endif
    if (any) [[unlikely]]
        count_each(result, of...);
    return result;
}
#else
template <class... Operands>
[[gnu::always_inline]] inline Lanes seen(Lanes result, Operands...) {
    return result;
}
#endif

[[gnu::always_inline]] inline Lanes all(Real x) {
    const Native same = x - Native{};  // x everywhere, -0 too
    return parts([&](int) { return same; });
}
[[gnu::always_inline]] inline Lanes load(const Real* from) {
    return parts([&](int i) {  // 64 bytes at once, and g++ would take them through the stack
        Native part;
        __builtin_memcpy(&part, from + i * kNative, sizeof part);
        return part;
    });
}
[[gnu::always_inline]] inline void store(Real* to, Lanes x) { __builtin_memcpy(to, &x, sizeof x); }
[[gnu::always_inline]] inline Lanes load(const Real* from, Index n) {
    Real numbers[16] = {};
    for (Index i = 0; i < n; ++i) numbers[i] = from[i];
    return load(numbers);
}
[[gnu::always_inline]] inline void store(Real* to, Lanes x, Index n) {
    Real numbers[16];
    store(numbers, x);
    for (Index i = 0; i < n; ++i) to[i] = numbers[i];
}
// Past the caches, where the instruction set can; 64-byte aligned.
[[gnu::always_inline]] inline void stream(Real* to, Lanes x) { store(to, x); }
inline void stream_fence() {}

[[gnu::always_inline]] inline Lanes operator+(Lanes a, Lanes b) {
    return parts([&](int i) { return a.part[i] + b.part[i]; });
}
[[gnu::always_inline]] inline Lanes operator-(Lanes a, Lanes b) {
    return parts([&](int i) { return a.part[i] - b.part[i]; });
}
[[gnu::always_inline]] inline Lanes operator*(Lanes a, Lanes b) {
    return seen(parts([&](int i) { return a.part[i] * b.part[i]; }), a, b, Lanes{});
}
[[gnu::always_inline]] inline Lanes operator/(Lanes a, Lanes b) {
    return seen(parts([&](int i) { return a.part[i] / b.part[i]; }), a, b);
}
// a > b ? a : b and a < b ? a : b, so a NaN in b survives
[[gnu::always_inline]] inline Lanes larger(Lanes a, Lanes b) {
    return parts([&](int i) { return a.part[i] > b.part[i] ? a.part[i] : b.part[i]; });
}
[[gnu::always_inline]] inline Lanes smaller(Lanes a, Lanes b) {
    return parts([&](int i) { return a.part[i] < b.part[i] ? a.part[i] : b.part[i]; });
}
[[gnu::always_inline]] inline Lanes square_root(Lanes a) {
    for (Native& part : a.part)
        for (int i = 0; i < kNative; ++i)
            part[i] = sizeof(Real) == 4 ? Real(__builtin_sqrtf(float(part[i])))
                                        : Real(__builtin_sqrt(double(part[i])));
    return a;
}

// a b + c with one rounding. x86-64 without further instruction sets has no such instruction, and a
// library's fmaf is a function call for each lane.
//
// The product of two floats is exact in double; the sum may need more than its 53 bits, and
// rounding that to float rounds twice. This goes wrong only when the first rounding lands exactly
// half way between two floats, where it hides on which side the sum was. Such sums are done again,
// rounded first "to odd": cut off, and the last bit set when anything was cut, which no second
// rounding can take for half way (Boldo and Melquiond, Emulation of FMA and Correctly Rounded Sums,
// 2008). What the sum has lost comes from Knuth's two-sum.
#if defined(__SSE2__) && !defined(__FMA__)
inline float fused(float a, float b, float c) {
    const double product = double(a) * double(b), addend = double(c);
    const double sum = product + addend, rest = sum - product;
    const double lost = (product - (sum - rest)) + (addend - rest);
    const bool below = lost < 0, inexact = below | (lost > 0);
    auto bits = __builtin_bit_cast(std::int64_t, sum);
    bits -= inexact & (below != (sum < 0));  // the sum was rounded away from zero
    bits |= inexact;
    return float(__builtin_bit_cast(double, bits));
}

// Not inlined: it is rare, and long.
[[gnu::noinline]] inline __m128 fused_one_by_one(__m128 a, __m128 b, __m128 c) {
    for (int i = 0; i < 4; ++i) c[i] = fused(a[i], b[i], c[i]);
    return c;
}

[[gnu::always_inline]] inline __m128 fused(__m128 a, __m128 b, __m128 c) {
    const auto sum = [](__m128 x, __m128 y, __m128 z) {
        return _mm_add_pd(_mm_mul_pd(_mm_cvtps_pd(x), _mm_cvtps_pd(y)), _mm_cvtps_pd(z));
    };
    // Half way: of the 29 bits that float has not, the first is set and no other. (The upper words
    // never match.)
    const auto half_way = [](__m128d x) {
        const __m128i cut = _mm_and_si128(_mm_castpd_si128(x), _mm_set1_epi64x(0x1fffffff));
        return _mm_cmpeq_epi32(cut, _mm_set1_epi64x(0x110000000));
    };
    const __m128d low = sum(a, b, c);
    const __m128d high = sum(_mm_movehl_ps(a, a), _mm_movehl_ps(b, b), _mm_movehl_ps(c, c));
    if (_mm_movemask_epi8(_mm_or_si128(half_way(low), half_way(high)))) [[unlikely]]
        return fused_one_by_one(a, b, c);
    return _mm_movelh_ps(_mm_cvtpd_ps(low), _mm_cvtpd_ps(high));
}

// Doubles serve gradient checks, which do not compare bits: two roundings are good enough.
[[gnu::always_inline]] inline __m128d fused(__m128d a, __m128d b, __m128d c) { return a * b + c; }
#elif defined(__aarch64__)
// Written, because clang 14 makes two halves of four lanes that are fused one by one.
[[gnu::always_inline]] inline float32x4_t fused(float32x4_t a, float32x4_t b, float32x4_t c) {
    return vfmaq_f32(c, a, b);
}
[[gnu::always_inline]] inline float64x2_t fused(float64x2_t a, float64x2_t b, float64x2_t c) {
    return a * b + c;
}
#else
[[gnu::always_inline]] inline Native fused(Native a, Native b, Native c) {
    for (int i = 0; i < kNative; ++i)
        c[i] = sizeof(Real) == 4 ? Real(__builtin_fmaf(float(a[i]), float(b[i]), float(c[i])))
                                 : a[i] * b[i] + c[i];
    return c;
}
#endif

[[gnu::always_inline]] inline Lanes fma(Lanes a, Lanes b, Lanes c) {
    return seen(parts([&](int i) { return fused(a.part[i], b.part[i], c.part[i]); }), a, b, c);
}
// c - a b
[[gnu::always_inline]] inline Lanes fma_minus(Lanes a, Lanes b, Lanes c) {
    return fma(parts([&](int i) { return -a.part[i]; }), b, c);
}

// Lanes below n of a, the others of b
[[gnu::always_inline]] inline Lanes choose(Lanes a, Lanes b, Index n) {
    for (Index i = n; i < 16; ++i)
        a.part[i / kNative][i % kNative] = b.part[i / kNative][i % kNative];
    return a;
}

// Joins lane i with lane i + 8, then i + 4, i + 2, i + 1.
template <class Join>
[[gnu::always_inline]] inline Real tree(Lanes x, const Join& join) {
    Real numbers[16];
    store(numbers, x);
    for (int half = 8; half > 0; half /= 2)
        for (int i = 0; i < half; ++i) numbers[i] = join(numbers[i], numbers[i + half]);
    return numbers[0];
}
inline Real sum(Lanes x) {
    return tree(x, [](Real a, Real b) { return a + b; });
}
inline Real maximum(Lanes x) {
    return tree(x, [](Real a, Real b) { return a > b ? a : b; });
}

// 2^n for the whole number n that was rounded by adding 1.5 · 2^23 (2^52 in double): n stands in
// the low bits of `shifted`, and moved up into the exponent it pushes everything else out.
[[gnu::always_inline]] inline Lanes power_of_two(Lanes shifted) {
    constexpr int kMantissa = sizeof(Real) == 4 ? 23 : 52;
    constexpr Whole kOne = __builtin_bit_cast(Whole, Real(1));
    return parts([&](int i) {
        return __builtin_bit_cast(
            Native, (__builtin_bit_cast(NativeBits, shifted.part[i]) << kMantissa) + kOne);
    });
}

// Eight significant bits, ties to even; what lies below 2^-126 becomes zero, and a NaN stays one.
[[gnu::always_inline]] inline Lanes round_to_bf16(Lanes x) {
    for (Native& part : x.part)
        for (int i = 0; i < kNative; ++i) {
            auto bits = __builtin_bit_cast(std::uint32_t, float(part[i]));
            if ((bits & 0x7f800000u) == 0)
                bits &= 0x80000000u;
            else if ((bits & 0x7fffffffu) > 0x7f800000u)
                bits |= 0x00400000u;
            else
                bits += 0x7fffu + (bits >> 16 & 1u);
            part[i] = Real(__builtin_bit_cast(float, bits & 0xffff0000u));
        }
    return x;
}

// Sixteen bf16 numbers that stand in the upper, or the lower, halves of words
[[gnu::always_inline]] inline Lanes upper_halves(const std::uint32_t* words) {
    Lanes x;
    for (int i = 0; i < 16; ++i)
        x.part[i / kNative][i % kNative] = Real(__builtin_bit_cast(float, words[i] & 0xffff0000u));
    return x;
}
[[gnu::always_inline]] inline Lanes lower_halves(const std::uint32_t* words) {
    Lanes x;
    for (int i = 0; i < 16; ++i)
        x.part[i / kNative][i % kNative] = Real(__builtin_bit_cast(float, words[i] << 16));
    return x;
}

// The first Width lanes
template <int Width>
[[gnu::always_inline]] inline void store_first(Real* to, Lanes x) {
    __builtin_memcpy(to, &x, Width * sizeof(Real));
}

// Row i, lane j to row j, lane i; of the given rows only the first Rows hold anything.
template <int Rows>
inline void transpose(Lanes (&x)[16]) {
    Real from[std::size_t(Rows)][16];
    for (int i = 0; i < Rows; ++i) store(from[i], x[i]);
    for (int j = 0; j < 16; ++j) {
        Real to[16] = {};
        for (int i = 0; i < Rows; ++i) to[i] = from[i][j];
        x[j] = load(to);
    }
}

}  // namespace
}  // namespace zhuyi::ZHUYI_INSTRUCTION_SET
