// What each kernel computes, in plain loops and in double: to be read beside ops/ and train/, which
// have the formulas. Slow; the tests hold the fast kernels against it.
#include <algorithm>
#include <bit>
#include <cmath>

#include "base/math.h"
#include "base/random.h"
#include "support/reference_parts.h"

namespace zhuyi::reference {

Real round_to_bf16(Real x) {
    if (x != x) return x;
    std::uint32_t bits = std::bit_cast<std::uint32_t>(float(x));
    if ((bits & 0x7f800000u) == 0) return Real(std::bit_cast<float>(bits & 0x80000000u));
    bits += 0x7fffu + (bits >> 16 & 1u);  // half a unit, a little less when the number is even
    return Real(std::bit_cast<float>(bits & 0xffff0000u));
}

namespace {

// ---- the product of matrices: C (M, N) = [C +] A (M, K) · B (K, N) [+ bias (N)]

double gelu(double x), gelu_slope(double x);

double element(const Matrix& m, Index i, Index j, Precision precision) {
    const Real x = m.data[i * m.row + j * m.column];
    return double(precision == Precision::bf16 ? round_to_bf16(x) : x);
}

void gemm(const Gemm& g, Workspace&) {
    for (Index i = 0; i < g.M; ++i)
        for (Index j = 0; j < g.N; ++j) {
            double sum = g.bias ? double(g.bias[j]) : 0;
            for (Index k = 0; k < g.K; ++k)
                sum += element(g.A, i, k, g.precision) * element(g.B, k, j, g.precision);
            const Index place = i * g.stride + j;
            put(g.C, place, sum);
            if (g.finish != Finish::gelu) continue;
            const double x = g.C.data[place];
            g.C.data[place] = Real(gelu(x));
            if (g.slope) g.slope[place] = Real(gelu_slope(x));
        }
}

void gemms(const Gemm* products, Index count, Workspace& workspace) {
    for (Index i = 0; i < count; ++i) gemm(products[i], workspace);
}

// ---- GELU, by tanh and by erf

constexpr double kRootTwoOverPi = 0.7978845608028654, kCube = 0.044715;

double gelu(double x) {
    return 0.5 * x * (1 + std::tanh(kRootTwoOverPi * (x + kCube * x * x * x)));
}

double gelu_slope(double x) {
    const double t = std::tanh(kRootTwoOverPi * (x + kCube * x * x * x));
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * kRootTwoOverPi * (1 + 3 * kCube * x * x);
}

double gelu_erf(double x) { return x * 0.5 * std::erfc(-x / std::sqrt(2.0)); }

double gelu_erf_slope(double x) {
    const double bell = math::exp(-x * x / 2) / std::sqrt(2 * 3.141592653589793);
    return 0.5 * std::erfc(-x / std::sqrt(2.0)) + x * bell;
}

template <double (*function)(double)>
void forward(Real* y, const Real* x, Index count) {
    for (Index i = 0; i < count; ++i) y[i] = Real(function(x[i]));
}

template <double (*slope)(double)>
void backward(Destination dx, const Real* dy, const Real* x, Index count) {
    for (Index i = 0; i < count; ++i) put(dx, i, dy[i] * slope(x[i]));
}

// ---- LayerNorm

void layer_norm_forward(Real* y, Real* mean, Real* rstd, const Real* x, const Real* gamma,
                        const Real* beta, Index N, Index C) {
    for (Index r = 0; r < N; ++r, x += C, y += C) {
        double sum = 0, squares = 0;
        for (Index c = 0; c < C; ++c) sum += x[c];
        const double m = sum / double(C);
        for (Index c = 0; c < C; ++c) squares += (x[c] - m) * (x[c] - m);
        const double s = 1 / std::sqrt(squares / double(C) + 1e-5);
        for (Index c = 0; c < C; ++c) y[c] = Real(gamma[c] * (x[c] - m) * s + beta[c]);
        mean[r] = Real(m), rstd[r] = Real(s);
    }
}

// x̂ = (x - mean) rstd,  g = dy · gamma:  dx = rstd (g - mean(g) - x̂ mean(g x̂))
void layer_norm_backward(Destination dx, Destination dgamma, Destination dbeta, const Real* dy,
                         const Real* x, const Real* mean, const Real* rstd, const Real* gamma,
                         Index N, Index C, Workspace&) {
    Numbers sum_gamma = zeros(C), sum_beta = zeros(C);
    for (Index r = 0; r < N; ++r) {
        const auto normal = [&](Index c) { return (double(x[r * C + c]) - mean[r]) * rstd[r]; };
        double mean_g = 0, mean_gx = 0;
        for (Index c = 0; c < C; ++c) {
            const double d = dy[r * C + c], g = d * gamma[c];
            mean_g += g / double(C), mean_gx += g * normal(c) / double(C);
            sum_gamma[c] += d * normal(c), sum_beta[c] += d;
        }
        for (Index c = 0; c < C; ++c) {
            const double g = double(dy[r * C + c]) * gamma[c];
            put(dx, r * C + c, rstd[r] * (g - mean_g - normal(c) * mean_gx));
        }
    }
    for (Index c = 0; c < C; ++c) {
        put(dgamma, c, sum_gamma[c]);
        put(dbeta, c, sum_beta[c]);
    }
}

// ---- embedding, rotary positions, cross-entropy

void embedding_forward(Real* x, const Token* ids, const Real* E, const Real* P, Index N, Index T,
                       Index first, Index C) {
    for (Index r = 0; r < N; ++r)
        for (Index c = 0; c < C; ++c)
            x[r * C + c] = E[ids[r] * C + c] + (P ? P[(first + r % T) * C + c] : Real(0));
}

void embedding_backward(Destination dE, Destination dP, const Real* dx, const Token* ids, Index N,
                        Index T, Index C) {
    for (Index r = 0; dE && r < N; ++r)
        for (Index c = 0; c < C; ++c) dE.data[ids[r] * C + c] += dx[r * C + c];
    for (Index t = 0; t < T; ++t)
        for (Index c = 0; c < C; ++c) {
            double sum = 0;
            for (Index r = t; r < N; r += T) sum += dx[r * C + c];
            put(dP, t * C + c, sum);
        }
}

void rotary(Destination y, const Real* x, const Real* angles, Index N, Index T, Index H, Index D,
            Turn turn) {
    for (Index r = 0; r < N; ++r)
        for (Index h = 0; h < H; ++h)
            for (Index i = 0; i < D / 2; ++i) {
                const Index first = (r * H + h) * D + i, second = first + D / 2;
                const double cosine = angles[r % T * D + i], sine = angles[r % T * D + D / 2 + i];
                const double s = turn == Turn::forth ? sine : -sine, a = x[first], b = x[second];
                put(y, first, a * cosine - b * s);
                put(y, second, a * s + b * cosine);
            }
}

void cross_entropy_forward(double* loss, Real* row_max, Real* row_scale, const Real* logits,
                           const Token* targets, Index N, Index V, Index stride) {
    for (Index r = 0; r < N; ++r, logits += stride) {
        const Real max = *std::max_element(logits, logits + V);
        double sum = 0;
        for (Index v = 0; v < V; ++v) sum += math::exp(double(logits[v]) - double(max));
        loss[r] = math::log(sum) - (double(logits[targets[r]]) - double(max));
        row_max[r] = max, row_scale[r] = Real(1 / sum);
    }
}

void cross_entropy_backward(Destination dlogits, const Real* logits, const Real* row_max,
                            const Real* row_scale, const Token* targets, Real scale, Index N,
                            Index V, Index stride) {
    for (Index r = 0; r < N; ++r)
        for (Index v = 0; v < V; ++v) {
            const double z = logits[r * stride + v];
            const double p = math::exp(z - double(row_max[r])) * double(row_scale[r]);
            put(dlogits, r * stride + v, (p - (v == targets[r])) * double(scale));
        }
}

// ---- sums, products, dropout

void sum_rows(Destination db, const Real* dy, Index N, Index C) {
    for (Index c = 0; c < C; ++c) {
        double sum = 0;
        for (Index r = 0; r < N; ++r) sum += dy[r * C + c];
        put(db, c, sum);
    }
}

void add(Real* y, const Real* a, const Real* b, Index count) {
    for (Index i = 0; i < count; ++i) y[i] = a[i] + b[i];
}

void multiply(Destination y, const Real* a, const Real* b, Index count) {
    for (Index i = 0; i < count; ++i) put(y, i, double(a[i]) * b[i]);
}

void accumulate(Destination dx, const Real* dy, Index count) {
    for (Index i = 0; i < count; ++i) put(dx, i, dy[i]);
}

void dropout(Destination y, const Real* x, Index count, double p, std::uint64_t key) {
    constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;
    const auto threshold = std::uint64_t(p * 0x1p32);
    for (Index i = 0; i < count; ++i) {
        const std::uint64_t bits = mix(key + std::uint64_t(i / 2) * kGolden);
        const std::uint64_t draw = i % 2 ? bits >> 32 : bits & 0xffffffffu;
        put(y, i, draw < threshold ? 0.0 : double(x[i]) * double(Real(1 / (1 - p))));
    }
}

// Only so that the table is complete: `zhuyi bench` measures the machine with it.
double fma_rounds(Index rounds, Workspace& workspace) {
    Real x = 0;
    for (Index round = 0; round < rounds; ++round) x = std::fma(x, Real(0.999), Real(0.001));
    *workspace.shared(1) = x;
    return 2.0 * double(rounds);
}

}  // namespace

const Kernels& kernels() {
    static const Kernels table = {
        .name = "reference",
        .gemm = gemm,
        .gemms = gemms,
        .lay_in_strips = [](void*, const Matrix&, Index, Index, Precision) {},  // B itself is read
        .strips_bytes = [](Index, Index, Precision) { return std::size_t(0); },
        .layer_norm_forward = layer_norm_forward,
        .layer_norm_backward = layer_norm_backward,
        .sum_rows = sum_rows,
        .gelu_forward = forward<gelu>,
        .gelu_backward = backward<gelu_slope>,
        .gelu_erf_forward = forward<gelu_erf>,
        .gelu_erf_backward = backward<gelu_erf_slope>,
        .add = add,
        .multiply = multiply,
        .accumulate = accumulate,
        .dropout = dropout,
        .attention_forward = attention_forward,
        .attention_backward = attention_backward,
        .embedding_forward = embedding_forward,
        .embedding_backward = embedding_backward,
        .rotary = rotary,
        .cross_entropy_forward = cross_entropy_forward,
        .cross_entropy_backward = cross_entropy_backward,
        .sum_of_squares = sum_of_squares,
        .adamw = adamw,
        .momentum = momentum,
        .orthogonalise = orthogonalise,
        .orthogonalise_numbers = orthogonalise_numbers,
        .descend = descend,
        .fma_rounds = fma_rounds,
    };
    return table;
}

}  // namespace zhuyi::reference
