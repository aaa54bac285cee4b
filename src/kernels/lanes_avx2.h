// Lanes as two AVX2 registers (with FMA); lanes_portable.h says what each operation means.
#pragma once
#include <immintrin.h>

#include "base/real.h"

namespace zhuyi::ZHUYI_INSTRUCTION_SET {
namespace {

struct Lanes {
    __m256 low, high;
};

// 6 x 2 registers of sums, 2 of B and one number of A: 15 of 16.
constexpr int kTileRows = 6, kTileVectors = 1, kPanelRows = 8;

[[gnu::always_inline]] inline Lanes all(float x) {
    const __m256 v = _mm256_set1_ps(x);
    return {v, v};
}
[[gnu::always_inline]] inline Lanes load(const float* from) {
    return {_mm256_loadu_ps(from), _mm256_loadu_ps(from + 8)};
}
[[gnu::always_inline]] inline void store(float* to, Lanes x) {
    _mm256_storeu_ps(to, x.low), _mm256_storeu_ps(to + 8, x.high);
}

// A window onto it has n lanes switched on.
alignas(64) constexpr int kSwitches[32] = {-1, -1, -1, -1, -1, -1, -1, -1,
                                           -1, -1, -1, -1, -1, -1, -1, -1};
struct Mask {
    __m256i low, high;
};
[[gnu::always_inline]] inline Mask mask(Index n) {
    const auto* window = reinterpret_cast<const __m256i*>(kSwitches + 16 - n);
    return {_mm256_loadu_si256(window), _mm256_loadu_si256(window + 1)};
}
[[gnu::always_inline]] inline Lanes load(const float* from, Index n) {
    const Mask m = mask(n);
    return {_mm256_maskload_ps(from, m.low), _mm256_maskload_ps(from + 8, m.high)};
}
// Half a vector is stored as it is: heads of 24 channels end in one, and where processors store
// behind a mask slowly, that is a third of what copying them takes.
[[gnu::always_inline]] inline void store(float* to, Lanes x, Index n) {
    const Mask m = mask(n);
    if (n < 8) return _mm256_maskstore_ps(to, m.low, x.low);
    _mm256_storeu_ps(to, x.low);
    if (n > 8) _mm256_maskstore_ps(to + 8, m.high, x.high);
}
[[gnu::always_inline]] inline void stream(float* to, Lanes x) {
    _mm256_stream_ps(to, x.low), _mm256_stream_ps(to + 8, x.high);
}
inline void stream_fence() { _mm_sfence(); }

[[gnu::always_inline]] inline Lanes operator+(Lanes a, Lanes b) {
    return {_mm256_add_ps(a.low, b.low), _mm256_add_ps(a.high, b.high)};
}
[[gnu::always_inline]] inline Lanes operator-(Lanes a, Lanes b) {
    return {_mm256_sub_ps(a.low, b.low), _mm256_sub_ps(a.high, b.high)};
}
[[gnu::always_inline]] inline Lanes operator*(Lanes a, Lanes b) {
    return {_mm256_mul_ps(a.low, b.low), _mm256_mul_ps(a.high, b.high)};
}
[[gnu::always_inline]] inline Lanes operator/(Lanes a, Lanes b) {
    return {_mm256_div_ps(a.low, b.low), _mm256_div_ps(a.high, b.high)};
}
[[gnu::always_inline]] inline Lanes larger(Lanes a, Lanes b) {
    return {_mm256_max_ps(a.low, b.low), _mm256_max_ps(a.high, b.high)};
}
[[gnu::always_inline]] inline Lanes smaller(Lanes a, Lanes b) {
    return {_mm256_min_ps(a.low, b.low), _mm256_min_ps(a.high, b.high)};
}
[[gnu::always_inline]] inline Lanes square_root(Lanes a) {
    return {_mm256_sqrt_ps(a.low), _mm256_sqrt_ps(a.high)};
}
[[gnu::always_inline]] inline Lanes fma(Lanes a, Lanes b, Lanes c) {
    return {_mm256_fmadd_ps(a.low, b.low, c.low), _mm256_fmadd_ps(a.high, b.high, c.high)};
}
[[gnu::always_inline]] inline Lanes fma_minus(Lanes a, Lanes b, Lanes c) {
    return {_mm256_fnmadd_ps(a.low, b.low, c.low), _mm256_fnmadd_ps(a.high, b.high, c.high)};
}
[[gnu::always_inline]] inline Lanes choose(Lanes a, Lanes b, Index n) {
    const Mask m = mask(n);
    return {_mm256_blendv_ps(b.low, a.low, _mm256_castsi256_ps(m.low)),
            _mm256_blendv_ps(b.high, a.high, _mm256_castsi256_ps(m.high))};
}

inline float sum(Lanes x) {
    const __m256 eight = _mm256_add_ps(x.low, x.high);
    __m128 v = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    v = _mm_add_ps(v, _mm_movehl_ps(v, v));
    return _mm_cvtss_f32(_mm_add_ss(v, _mm_shuffle_ps(v, v, 1)));
}
inline float maximum(Lanes x) {
    const __m256 eight = _mm256_max_ps(x.low, x.high);
    __m128 v = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    v = _mm_max_ps(v, _mm_movehl_ps(v, v));
    return _mm_cvtss_f32(_mm_max_ss(v, _mm_shuffle_ps(v, v, 1)));
}

[[gnu::always_inline]] inline __m256 power_of_two(__m256 shifted) {
    const __m256i one = _mm256_set1_epi32(127 << 23);
    return _mm256_castsi256_ps(
        _mm256_add_epi32(_mm256_slli_epi32(_mm256_castps_si256(shifted), 23), one));
}
[[gnu::always_inline]] inline Lanes power_of_two(Lanes shifted) {
    return {power_of_two(shifted.low), power_of_two(shifted.high)};
}

[[gnu::always_inline]] inline __m256 round_to_bf16(__m256 x) {
    const __m256i bits = _mm256_castps_si256(x);
    const __m256i exponent = _mm256_and_si256(bits, _mm256_set1_epi32(0x7f800000));
    const __m256i sign = _mm256_and_si256(bits, _mm256_set1_epi32(int(0x80000000u)));
    const __m256i last = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    const __m256i half = _mm256_add_epi32(last, _mm256_set1_epi32(0x7fff));
    __m256i rounded = _mm256_add_epi32(bits, half);
    rounded =
        _mm256_blendv_epi8(rounded, sign, _mm256_cmpeq_epi32(exponent, _mm256_setzero_si256()));
    const __m256i quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x00400000));
    rounded =
        _mm256_blendv_epi8(rounded, quiet, _mm256_castps_si256(_mm256_cmp_ps(x, x, _CMP_UNORD_Q)));
    return _mm256_castsi256_ps(_mm256_and_si256(rounded, _mm256_set1_epi32(int(0xffff0000u))));
}
[[gnu::always_inline]] inline Lanes round_to_bf16(Lanes x) {
    return {round_to_bf16(x.low), round_to_bf16(x.high)};
}

[[gnu::always_inline]] inline Lanes upper_halves(const std::uint32_t* words) {
    const auto* eight = reinterpret_cast<const __m256i*>(words);
    const __m256i upper = _mm256_set1_epi32(int(0xffff0000u));
    return {_mm256_castsi256_ps(_mm256_and_si256(_mm256_loadu_si256(eight), upper)),
            _mm256_castsi256_ps(_mm256_and_si256(_mm256_loadu_si256(eight + 1), upper))};
}
[[gnu::always_inline]] inline Lanes lower_halves(const std::uint32_t* words) {
    const auto* eight = reinterpret_cast<const __m256i*>(words);
    return {_mm256_castsi256_ps(_mm256_slli_epi32(_mm256_loadu_si256(eight), 16)),
            _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_loadu_si256(eight + 1), 16))};
}

template <int Width>
[[gnu::always_inline]] inline void store_first(float* to, Lanes x) {
    static_assert(Width == 8 || Width == 16);
    _mm256_storeu_ps(to, x.low);
    if constexpr (Width == 16) _mm256_storeu_ps(to + 8, x.high);
}

// 8 x 8: pairs of rows, then pairs of pairs, then the halves of the registers
[[gnu::always_inline]] inline void transpose(__m256 (&x)[8]) {
    __m256 t[8];
#pragma GCC unroll 4
    for (int i = 0; i < 8; i += 2) {
        t[i] = _mm256_unpacklo_ps(x[i], x[i + 1]);
        t[i + 1] = _mm256_unpackhi_ps(x[i], x[i + 1]);
    }
#pragma GCC unroll 2
    for (int i = 0; i < 8; i += 4) {
        x[i] = _mm256_shuffle_ps(t[i], t[i + 2], 0x44);
        x[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], 0xee);
        x[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44);
        x[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0xee);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
        t[i] = _mm256_permute2f128_ps(x[i], x[i + 4], 0x20);
        t[i + 4] = _mm256_permute2f128_ps(x[i], x[i + 4], 0x31);
    }
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) x[i] = t[i];
}

// Four (or, of eight rows, two) blocks of 8 x 8, those beside the diagonal changing places
template <int Rows>
[[gnu::always_inline]] inline void transpose(Lanes (&x)[16]) {
    __m256 block[std::size_t(Rows / 8)][2][8];
#pragma GCC unroll 2
    for (int half = 0; half < Rows / 8; ++half) {
#pragma GCC unroll 8
        for (int i = 0; i < 8; ++i) {
            block[half][0][i] = x[half * 8 + i].low;
            block[half][1][i] = x[half * 8 + i].high;
        }
        transpose(block[half][0]);
        transpose(block[half][1]);
    }
#pragma GCC unroll 16
    for (int j = 0; j < 16; ++j)
        x[j] = {block[0][j / 8][j % 8],
                Rows == 16 ? block[Rows / 8 - 1][j / 8][j % 8] : _mm256_setzero_ps()};
}

}  // namespace
}  // namespace zhuyi::ZHUYI_INSTRUCTION_SET
