// Fast loops on raw numbers. They know nothing of tensors, tapes or text.
//
// Every function here exists once as source and several times as machine code (portable, AVX2,
// AVX-512); the table in use is the best one for this machine, or the one named by ZHUYI_ISA. All
// of them give the same bits on every machine and with every number of threads, because
//   - each element of a matrix product is one chain of fused multiply-adds over k = 0, 1, 2 …;
//   - each sum along a row runs in 16 lanes that are joined in a fixed tree;
//   - each sum over rows has one owner and goes through fixed groups of rows in order.
// tests/support/reference*.cpp say what each one computes, in plain loops.
#pragma once
#include <string>

#include "base/arena.h"
#include "base/real.h"

namespace zhuyi {

// A matrix in memory: element (i, j) stands at data[i * row + j * column].
struct Matrix {
    const Real* data;
    Index row, column;
};

// What becomes of an element of a product when it is complete.
enum class Finish { none, gelu };

// C (M, N) = [C +] A (M, K) · B (K, N) [+ bias (N)]. C is row-major with `stride` elements from row
// to row.
struct Gemm {
    Index M, N, K;
    Matrix A, B;
    Destination C;
    Index stride;
    const Real* bias = nullptr;  // start value of each column; needs C.add == false
    Precision precision = Precision::fp32;
    // gelu: C becomes gelu(C), in its tanh form; `slope`, laid out like C, becomes gelu'(C), or is
    // null if nobody wants it. Needs C.add == false.
    Finish finish = Finish::none;
    Real* slope = nullptr;
};

// Scaled dot-product attention (Vaswani et al. 2017, eq. 1) of B texts and H heads. Head h owns
// columns [h * d_k, (h + 1) * d_k) of Q and K and [h * d_v, …) of V and of the mix. The queries are
// the last T of S >= T positions: with a causal mask query t sees the keys s <= S - T + t, without
// one all S.
struct Attention {
    Index B, H, T, S, d_k, d_v;
    bool causal;
    const Real *Q, *K, *V;  // (B, T, H d_k), (B, S, H d_k), (B, S, H d_v)
    // Set by a past alone (kernels/past.h); then K stands transposed and both have room for more
    // positions: K (B, H d_k, room), V (B, room, H d_v). room is a multiple of 16. What stands
    // after the last of S positions is read and not used.
    Index room = 0;
    // weights: softmax(Q Kᵀ / √d_k) (B, H, T, S), kept for watchers alone, else null. Backward
    // computes it again from two numbers of each row (B, H, T): the largest scaled score, max, and
    // 1 / Σ exp(score - max).
    Real* weights = nullptr;
    Real* row_max = nullptr;
    Real* row_scale = nullptr;
};

// Which way rotary turns: forward, or back for the gradient.
enum class Turn { forth, back };

struct AdamWStep {
    double learning_rate, beta1, beta2, epsilon, weight_decay;
    double gradient_scale;  // from clipping; 1 if nothing was clipped
    Index step;             // counts from 1, for the bias correction
};

struct Kernels {
    const char* name;  // "portable", "avx2", "avx512", "avx512bf16"

    void (*gemm)(const Gemm&, Workspace&);
    // The same, one after another, and faster where neighbours share A (Q, K and V of one x), or C,
    // to which each adds (the gradient of that x).
    void (*gemms)(const Gemm* products, Index count, Workspace&);
    // Lays out B (K, N) once more for products of few rows in this precision (kernels/past.h), in
    // strips_bytes(…) bytes, 64-byte aligned.
    void (*lay_in_strips)(void* to, const Matrix& B, Index K, Index N, Precision);
    std::size_t (*strips_bytes)(Index K, Index N, Precision);

    // y = gamma (x - mean) rstd + beta; statistics of each of N rows of length C,
    // rstd = 1/√(variance + 1e-5)
    void (*layer_norm_forward)(Real* y, Real* mean, Real* rstd, const Real* x, const Real* gamma,
                               const Real* beta, Index N, Index C);
    void (*layer_norm_backward)(Destination dx, Destination dgamma, Destination dbeta,
                                const Real* dy, const Real* x, const Real* mean, const Real* rstd,
                                const Real* gamma, Index N, Index C, Workspace&);

    // db[c] (+)= Σ_r dy[r, c]
    void (*sum_rows)(Destination db, const Real* dy, Index N, Index C);

    // GELU in its tanh form (Hendrycks and Gimpel, arXiv 1606.08415)
    void (*gelu_forward)(Real* y, const Real* x, Index count);
    void (*gelu_backward)(Destination dx, const Real* dy, const Real* x, Index count);
    // and as x Φ(x), Φ the normal distribution's
    void (*gelu_erf_forward)(Real* y, const Real* x, Index count);
    void (*gelu_erf_backward)(Destination dx, const Real* dy, const Real* x, Index count);

    void (*add)(Real* y, const Real* a, const Real* b, Index count);
    void (*multiply)(Destination y, const Real* a, const Real* b, Index count);  // y may be a or b
    void (*accumulate)(Destination dx, const Real* dy, Index count);

    // y (+)= x · mask / (1 - p): element i is dropped when the counter-based
    // Random(key).bits(i / 2), its lower 32 bits for even i and its upper for odd i, lies below
    // p · 2^32. Forward and backward are the same function.
    void (*dropout)(Destination y, const Real* x, Index count, double p, std::uint64_t key);

    void (*attention_forward)(Real* mix, const Attention&, Workspace&);
    // Adds into dQ, dK, dV. The Attention of forward, with its row_max and row_scale: the weights
    // are made again from them. d_weights, d_scores: (B, H, T, S), for watchers; null
    // otherwise. Needs T == S.
    void (*attention_backward)(Destination dQ, Destination dK, Destination dV, Real* d_weights,
                               Real* d_scores, const Real* d_mix, const Attention&, Workspace&);

    // x[r] = E[ids[r]] + P[first + r % T]; P may be null
    void (*embedding_forward)(Real* x, const Token* ids, const Real* E, const Real* P, Index N,
                              Index T, Index first, Index C);
    // Adds row by row in order of r; dE must hold numbers already (add == true). dP's rows [0, T)
    // are summed over the texts; the rows after T are left alone.
    void (*embedding_backward)(Destination dE, Destination dP, const Real* dx, const Token* ids,
                               Index N, Index T, Index C);

    // y (+)= x (N, H D), in every head the pairs of channels (i, i + D/2) turned by the angles of
    // position r % T of row r. angles (T, D): D/2 cosines, then their sines.
    void (*rotary)(Destination y, const Real* x, const Real* angles, Index N, Index T, Index H,
                   Index D, Turn turn);

    // loss[r] = ln Σ_v exp(z[r, v]) - z[r, target[r]] in nats. Rows of V logits stand `stride`
    // apart.
    void (*cross_entropy_forward)(double* loss, Real* row_max, Real* row_scale, const Real* logits,
                                  const Token* targets, Index N, Index V, Index stride);
    // dlogits (+)= (softmax(z) - onehot(target)) * scale, from row_max and
    // row_scale = 1 / Σ exp(z - max)
    void (*cross_entropy_backward)(Destination dlogits, const Real* logits, const Real* row_max,
                                   const Real* row_scale, const Token* targets, Real scale, Index N,
                                   Index V, Index stride);

    double (*sum_of_squares)(const Real* x, Index count, Workspace&);

    // One update by AdamW (Loshchilov and Hutter, arXiv 1711.05101) over `count` weights that share
    // a decay.
    void (*adamw)(Real* weights, const Real* gradients, Real* m, Real* v, Index count,
                  const AdamWStep&);

    // Muon (Jordan 2024): the mean of the gradients, and the direction that looks one step further
    // along it (Nesterov):  m = μ m + (1 - μ) s g,  u = μ m + (1 - μ) s g
    void (*momentum)(Real* u, Real* m, const Real* gradients, Index count, double mu, double s);
    // Y (rows, columns) = about U Vᵀ of X = U Σ Vᵀ (X may be Y), on the calling thread: it may run
    // inside a parallel loop. memory: orthogonalise_numbers(rows, columns) numbers. 0 stays 0.
    void (*orthogonalise)(Real* Y, const Real* X, Index rows, Index columns, Real* memory);
    Index (*orthogonalise_numbers)(Index rows, Index columns);
    // w = keep w - rate y
    void (*descend)(Real* w, const Real* y, Index count, double keep, double rate);

    // Multiplies and adds in registers only, on every thread; gives the number of operations done
    // (a fused multiply-add is two), so that a clock beside it says what the machine can do now.
    double (*fma_rounds)(Index rounds, Workspace&);
};

// The table that runs: the fastest this machine has, or the one named by ZHUYI_ISA. Chosen at the
// first call.
const Kernels& kernels();

// Returns the table named `wanted`, or the fastest one if that is empty. Throws UsageError if this
// machine or build has no such table, and says which it has.
const Kernels& choose_kernels(const std::string& wanted);

// Where the product's B is laid out once more, if the workspace has a past that knows it; else
// null. (kernels/past.cpp)
const void* strips_of(const Gemm& g, const Workspace& workspace);

// Returns the table named "portable", "avx2", "avx512" or "avx512bf16", or null if this machine or
// this build does not have it.
const Kernels* kernels_named(const std::string& name);

}  // namespace zhuyi
