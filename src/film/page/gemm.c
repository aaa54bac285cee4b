// c (M, N) = beta c + alpha a (M, K) · b (K, N), for products.js: 4 rows of c by 8 columns at once,
// their sums in eight vectors. c stands row after row; a[m, k] at a[m am + k ak], b[k, n] at b[k bk +
// n bn], so that either may be turned. M is a multiple of 4 and N of 8: what lies beyond the true rows
// and columns is read as whatever stands there, and nobody looks at the sums it makes. `panel` has
// room for 8 K numbers. upper: c is symmetric, so what lies below its diagonal is not computed but
// mirrored. scripts/gemm.sh compiles it into gemm.js.
#include <wasm_simd128.h>

enum { kRows = 4, kColumns = 8 };

/** sum + x w; rounded once where vectors may be "relaxed", which not every browser has. */
static v128_t plus(v128_t sum, v128_t x, v128_t w) {
#ifdef __wasm_relaxed_simd__
    return wasm_f32x4_relaxed_madd(x, w, sum);
#else
    return wasm_f32x4_add(sum, wasm_f32x4_mul(x, w));
#endif
}

// beta c + alpha a · panel; panel (K, 8). Compiled for each way in which a may stand: where four rows of
// it lie side by side, one address serves them all.
__attribute__((always_inline)) static void add_tile(float* c, int N, const float* a, int am, int ak,
                                                    const float* panel, int K, float alpha,
                                                    float beta) {
    v128_t sums[kRows][2];
    for (int i = 0; i < kRows; ++i)
        for (int j = 0; j < 2; ++j) sums[i][j] = wasm_f32x4_const_splat(0);
    for (int k = 0; k < K; ++k)
        for (int i = 0; i < kRows; ++i) {
            const v128_t x = wasm_v128_load32_splat(a + i * am + k * ak);
            for (int j = 0; j < 2; ++j) {
                const v128_t w = wasm_v128_load(panel + kColumns * k + 4 * j);
                sums[i][j] = plus(sums[i][j], x, w);
            }
        }
    for (int i = 0; i < kRows; ++i)
        for (int j = 0; j < 2; ++j) {
            float* const to = c + i * N + 4 * j;
            const v128_t was = wasm_f32x4_mul(wasm_f32x4_splat(beta), wasm_v128_load(to));
            wasm_v128_store(
                to, wasm_f32x4_add(was, wasm_f32x4_mul(wasm_f32x4_splat(alpha), sums[i][j])));
        }
}

__attribute__((export_name("gemm"))) void gemm(float* c, const float* a, const float* b,
                                               float* panel, int M, int N, int K, int am, int ak,
                                               int bk, int bn, int upper, float alpha, float beta) {
    for (int n = 0; n < N; n += kColumns) {
        for (int k = 0; k < K; ++k)
            for (int j = 0; j < kColumns; ++j) panel[kColumns * k + j] = b[k * bk + (n + j) * bn];
        const int end = upper && n + kColumns < M ? n + kColumns : M;
        for (int m = 0; m < end; m += kRows)
            if (am == 1)
                add_tile(c + m * N + n, N, a + m, 1, ak, panel, K, alpha, beta);
            else
                add_tile(c + m * N + n, N, a + m * am, am, ak, panel, K, alpha, beta);
    }
    for (int m = 0; upper && m < M; ++m)
        for (int n = 0; n < m; ++n) c[m * N + n] = c[n * N + m];
}
