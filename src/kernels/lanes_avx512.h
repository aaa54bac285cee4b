// Lanes as one AVX-512 register; lanes_portable.h says what each operation means.
#pragma once
#include <immintrin.h>

#include "base/real.h"

namespace zhuyi::ZHUYI_INSTRUCTION_SET {
namespace {

struct Lanes {
    __m512 v;
};

// 14 x 2 registers of sums, 2 of B, 1 of A, whose number each row of sums shares: 31 of 32.
constexpr int kTileRows = 14, kTileVectors = 2, kPanelRows = 16;

[[gnu::always_inline]] inline Lanes all(float x) { return {_mm512_set1_ps(x)}; }
[[gnu::always_inline]] inline Lanes load(const float* from) { return {_mm512_loadu_ps(from)}; }
[[gnu::always_inline]] inline void store(float* to, Lanes x) { _mm512_storeu_ps(to, x.v); }

[[gnu::always_inline]] inline __mmask16 mask(Index n) { return __mmask16((1u << n) - 1u); }
[[gnu::always_inline]] inline Lanes load(const float* from, Index n) {
    return {_mm512_maskz_loadu_ps(mask(n), from)};
}
[[gnu::always_inline]] inline void store(float* to, Lanes x, Index n) {
    _mm512_mask_storeu_ps(to, mask(n), x.v);
}
[[gnu::always_inline]] inline void stream(float* to, Lanes x) { _mm512_stream_ps(to, x.v); }
inline void stream_fence() { _mm_sfence(); }

[[gnu::always_inline]] inline Lanes operator+(Lanes a, Lanes b) {
    return {_mm512_add_ps(a.v, b.v)};
}
[[gnu::always_inline]] inline Lanes operator-(Lanes a, Lanes b) {
    return {_mm512_sub_ps(a.v, b.v)};
}
[[gnu::always_inline]] inline Lanes operator*(Lanes a, Lanes b) {
    return {_mm512_mul_ps(a.v, b.v)};
}
[[gnu::always_inline]] inline Lanes operator/(Lanes a, Lanes b) {
    return {_mm512_div_ps(a.v, b.v)};
}
[[gnu::always_inline]] inline Lanes larger(Lanes a, Lanes b) { return {_mm512_max_ps(a.v, b.v)}; }
[[gnu::always_inline]] inline Lanes smaller(Lanes a, Lanes b) { return {_mm512_min_ps(a.v, b.v)}; }
[[gnu::always_inline]] inline Lanes square_root(Lanes a) { return {_mm512_sqrt_ps(a.v)}; }
[[gnu::always_inline]] inline Lanes fma(Lanes a, Lanes b, Lanes c) {
    return {_mm512_fmadd_ps(a.v, b.v, c.v)};
}
[[gnu::always_inline]] inline Lanes fma_minus(Lanes a, Lanes b, Lanes c) {
    return {_mm512_fnmadd_ps(a.v, b.v, c.v)};
}
[[gnu::always_inline]] inline Lanes choose(Lanes a, Lanes b, Index n) {
    return {_mm512_mask_blend_ps(mask(n), b.v, a.v)};
}

[[gnu::always_inline]] inline __m256 upper_half(Lanes x) {
    return _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(x.v), 1));
}
inline float sum(Lanes x) {
    const __m256 eight = _mm256_add_ps(_mm512_castps512_ps256(x.v), upper_half(x));
    __m128 v = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    v = _mm_add_ps(v, _mm_movehl_ps(v, v));
    return _mm_cvtss_f32(_mm_add_ss(v, _mm_shuffle_ps(v, v, 1)));
}
inline float maximum(Lanes x) {
    const __m256 eight = _mm256_max_ps(_mm512_castps512_ps256(x.v), upper_half(x));
    __m128 v = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    v = _mm_max_ps(v, _mm_movehl_ps(v, v));
    return _mm_cvtss_f32(_mm_max_ss(v, _mm_shuffle_ps(v, v, 1)));
}

[[gnu::always_inline]] inline Lanes power_of_two(Lanes shifted) {
    const __m512i moved = _mm512_slli_epi32(_mm512_castps_si512(shifted.v), 23);
    return {_mm512_castsi512_ps(_mm512_add_epi32(moved, _mm512_set1_epi32(127 << 23)))};
}

[[gnu::always_inline]] inline Lanes round_to_bf16(Lanes x) {
    const __m512i bits = _mm512_castps_si512(x.v);
    const __m512i last = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    const __m512i half = _mm512_add_epi32(last, _mm512_set1_epi32(0x7fff));
    __m512i rounded = _mm512_add_epi32(bits, half);
    const __mmask16 tiny = _mm512_testn_epi32_mask(bits, _mm512_set1_epi32(0x7f800000));
    rounded = _mm512_mask_and_epi32(rounded, tiny, bits, _mm512_set1_epi32(int(0x80000000u)));
    const __mmask16 nan = _mm512_cmp_ps_mask(x.v, x.v, _CMP_UNORD_Q);
    rounded = _mm512_mask_or_epi32(rounded, nan, bits, _mm512_set1_epi32(0x00400000));
    return {_mm512_castsi512_ps(_mm512_and_si512(rounded, _mm512_set1_epi32(int(0xffff0000u))))};
}

[[gnu::always_inline]] inline Lanes upper_halves(const std::uint32_t* words) {
    const __m512i both = _mm512_loadu_si512(words);
    return {_mm512_castsi512_ps(_mm512_and_si512(both, _mm512_set1_epi32(int(0xffff0000u))))};
}
[[gnu::always_inline]] inline Lanes lower_halves(const std::uint32_t* words) {
    return {_mm512_castsi512_ps(_mm512_slli_epi32(_mm512_loadu_si512(words), 16))};
}

template <int Width>
[[gnu::always_inline]] inline void store_first(float* to, Lanes x) {
    static_assert(Width == 16);
    store(to, x);
}

// Rows are woven in pairs of 1, 2, 4 and 8 numbers: four rounds of sixteen instructions.
template <int Rows>
[[gnu::always_inline]] inline void transpose(Lanes (&x)[16]) {
    __m512 t[16];
#pragma GCC unroll 8
    for (int i = 0; i < 16; i += 2) {
        t[i] = _mm512_unpacklo_ps(x[i].v, x[i + 1].v);
        t[i + 1] = _mm512_unpackhi_ps(x[i].v, x[i + 1].v);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 16; i += 4) {
#pragma GCC unroll 2
        for (int q = 0; q < 2; ++q) {
            const __m512d upper = _mm512_castps_pd(t[i + q]),
                          lower = _mm512_castps_pd(t[i + 2 + q]);
            x[i + 2 * q].v = _mm512_castpd_ps(_mm512_unpacklo_pd(upper, lower));
            x[i + 2 * q + 1].v = _mm512_castpd_ps(_mm512_unpackhi_pd(upper, lower));
        }
    }
#pragma GCC unroll 2
    for (int i = 0; i < 16; i += 8) {
#pragma GCC unroll 4
        for (int q = 0; q < 4; ++q) {
            t[i + q] = _mm512_shuffle_f32x4(x[i + q].v, x[i + 4 + q].v, 0x88);
            t[i + 4 + q] = _mm512_shuffle_f32x4(x[i + q].v, x[i + 4 + q].v, 0xdd);
        }
    }
#pragma GCC unroll 8
    for (int q = 0; q < 8; ++q) {
        x[q].v = _mm512_shuffle_f32x4(t[q], t[8 + q], 0x88);
        x[8 + q].v = _mm512_shuffle_f32x4(t[q], t[8 + q], 0xdd);
    }
}

}  // namespace
}  // namespace zhuyi::ZHUYI_INSTRUCTION_SET
