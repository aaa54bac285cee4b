// What each kernel computes, in plain loops and in double: to be read beside ops/ and train/, which
// have the formulas. Slow; the tests hold the fast kernels against it.
#include "support/reference.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/list.h"
#include "base/math.h"
#include "base/random.h"

namespace zhuyi::reference {

using Numbers = List<double>;
Numbers zeros(Index count) { return Numbers(std::size_t(count)); }

Real round_to_bf16(Real x) {
    if (x != x) return x;
    std::uint32_t bits = std::bit_cast<std::uint32_t>(float(x));
    if ((bits & 0x7f800000u) == 0) return Real(std::bit_cast<float>(bits & 0x80000000u));
    bits += 0x7fffu + (bits >> 16 & 1u);  // half a unit, a little less when the number is even
    return Real(std::bit_cast<float>(bits & 0xffff0000u));
}

namespace {

// A result is stored, or added to what is there; where nobody wants it, nothing happens.
void put(Destination to, Index i, double value) {
    if (to) to.data[i] = Real(to.add ? double(to.data[i]) + value : value);
}

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

// ---- attention

// One query: the keys that it sees, and where things stand.
struct Query {
    Index seen;             // keys 0 … seen - 1
    const Real *q, *K, *V;  // K and V of key 0; those of key s stand s rows further on
    Index row;              // in (B, H, T)
};

Query query(const Attention& a, Index b, Index h, Index t) {
    const Index row_k = a.H * a.d_k, row_v = a.H * a.d_v;
    return {a.causal ? a.S - a.T + t + 1 : a.S, a.Q + (b * a.T + t) * row_k + h * a.d_k,
            a.K + b * a.S * row_k + h * a.d_k, a.V + b * a.S * row_v + h * a.d_v,
            (b * a.H + h) * a.T + t};
}

// softmax(q Kᵀ / √d_k) of one query, zero after the last key that it sees
Numbers attention_weights(const Attention& a, const Query& at, double& max, double& scale) {
    Numbers w = zeros(a.S);
    const auto seen = w.begin() + at.seen;
    for (Index s = 0; s < at.seen; ++s) {
        for (Index i = 0; i < a.d_k; ++i) w[s] += double(at.q[i]) * at.K[s * a.H * a.d_k + i];
        w[s] /= std::sqrt(double(a.d_k));
    }
    max = *std::max_element(w.begin(), seen);
    double sum = 0;
    for (auto e = w.begin(); e != seen; ++e) sum += (*e = math::exp(*e - max));
    scale = 1 / sum;
    for (double& e : w) e *= scale;
    return w;
}

template <class Body>
void for_each_query(const Attention& a, const Body& body) {
    for (Index b = 0; b < a.B; ++b)
        for (Index h = 0; h < a.H; ++h)
            for (Index t = 0; t < a.T; ++t) body(b, h, t, query(a, b, h, t));
}

void attention_forward(Real* mix, const Attention& a, Workspace&) {
    for_each_query(a, [&](Index b, Index h, Index t, const Query& at) {
        double max, scale;
        const Numbers w = attention_weights(a, at, max, scale);
        if (a.row_max) a.row_max[at.row] = Real(max);
        if (a.row_scale) a.row_scale[at.row] = Real(scale);
        if (a.weights) std::copy(w.begin(), w.end(), a.weights + at.row * a.S);
        for (Index i = 0; i < a.d_v; ++i) {
            double sum = 0;
            for (Index s = 0; s < at.seen; ++s) sum += w[s] * at.V[s * a.H * a.d_v + i];
            mix[(b * a.T + t) * a.H * a.d_v + h * a.d_v + i] = Real(sum);
        }
    });
}

// w: a query's attention weights.
// dw[s] = d_mix · V[s];  d_score = w (dw - Σ w dw);  dQ, dK from score = Q Kᵀ / √d_k
void attention_backward(Destination dQ, Destination dK, Destination dV, Real* d_weights,
                        Real* d_scores, const Real* d_mix, const Attention& a, Workspace&) {
    const Index row_k = a.H * a.d_k, row_v = a.H * a.d_v;
    Numbers q = zeros(a.B * a.T * row_k), k = q, v = zeros(a.B * a.T * row_v), dw = zeros(a.S);
    const double root = std::sqrt(double(a.d_k));
    for_each_query(a, [&](Index b, Index h, Index t, const Query& at) {
        double max, scale, inner = 0;
        const Numbers w = attention_weights(a, at, max, scale);
        const Real* dm = d_mix + (b * a.T + t) * row_v + h * a.d_v;
        for (Index s = 0; s < at.seen; ++s) {
            double& sum = dw[s] = 0;
            for (Index i = 0; i < a.d_v; ++i) {
                sum += double(dm[i]) * at.V[s * row_v + i];
                v[(b * a.T + s) * row_v + h * a.d_v + i] += w[s] * dm[i];
            }
            inner += w[s] * sum;
        }
        for (Index s = 0; s < a.S; ++s) {
            const bool seen = s < at.seen;
            const double ds = seen ? w[s] * (dw[s] - inner) : 0;
            if (d_weights) d_weights[at.row * a.S + s] = Real(seen ? dw[s] : 0);
            if (d_scores) d_scores[at.row * a.S + s] = Real(ds);
            for (Index i = 0; seen && i < a.d_k; ++i) {
                q[(b * a.T + t) * row_k + h * a.d_k + i] += ds / root * at.K[s * row_k + i];
                k[(b * a.T + s) * row_k + h * a.d_k + i] += ds / root * at.q[i];
            }
        }
    });
    for (Index i = 0; i < q.count(); ++i) put(dQ, i, q[i]), put(dK, i, k[i]);
    for (Index i = 0; i < v.count(); ++i) put(dV, i, v[i]);
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

// ---- the optimizer

double sum_of_squares(const Real* x, Index count, Workspace&) {
    double sum = 0;
    for (Index i = 0; i < count; ++i) sum += double(x[i]) * x[i];
    return sum;
}

void adamw(Real* weights, const Real* gradients, Real* m, Real* v, Index count,
           const AdamWStep& s) {
    double power1 = 1, power2 = 1;  // beta^step
    for (Index i = 0; i < s.step; ++i) power1 *= s.beta1, power2 *= s.beta2;
    for (Index i = 0; i < count; ++i) {
        const double g = s.gradient_scale * gradients[i];
        const double mean = s.beta1 * m[i] + (1 - s.beta1) * g;
        const double square = s.beta2 * v[i] + (1 - s.beta2) * g * g;
        const double direction =
            mean / (1 - power1) / (std::sqrt(square / (1 - power2)) + s.epsilon);
        weights[i] =
            Real(weights[i] * (1 - s.learning_rate * s.weight_decay) - s.learning_rate * direction);
        m[i] = Real(mean), v[i] = Real(square);
    }
}

// Muon's momentum with Nesterov's look ahead: m = μ m + (1 - μ) s g,  u = μ m + (1 - μ) s g
void momentum(Real* u, Real* m, const Real* gradients, Index count, double mu, double s) {
    for (Index i = 0; i < count; ++i) {
        const double g = (1 - mu) * s * gradients[i], mean = mu * m[i] + g;
        m[i] = Real(mean), u[i] = Real(mu * mean + g);
    }
}

// The plain form: X ← a X + b (X Xᵀ) X + c (X Xᵀ)² X, three times, on the whole matrix
// (coefficients: kernels/orthogonal.h).
void orthogonalise(Real* y, const Real* x, Index rows, Index columns, Real*) {
    const auto product = [](const Numbers& a, const Numbers& b, Index M, Index K, Index N) {
        Numbers c = zeros(M * N);
        for (Index i = 0; i < M; ++i)
            for (Index k = 0; k < K; ++k)
                for (Index j = 0; j < N; ++j) c[i * N + j] += a[i * K + k] * b[k * N + j];
        return c;
    };
    Numbers X(x, x + rows * columns);
    double most = 0;
    for (double& number : X) most = std::max(most, std::fabs(number));
    if (most == 0) return void(std::fill_n(y, rows * columns, Real(0)));
    const auto gram = [&] {
        Numbers transposed = zeros(X.count());
        for (Index i = 0; i < rows; ++i)
            for (Index j = 0; j < columns; ++j) transposed[j * rows + i] = X[i * columns + j];
        return product(X, transposed, rows, columns, rows);
    };
    for (double& number : X) number /= most;
    double squares = 0;
    for (double number : gram()) squares += number * number;
    for (double& number : X) number /= std::sqrt(1.02 * std::sqrt(squares));
    constexpr double kPolynomials[3][3] = {{7.8327090, -21.4357903, 15.1063201},
                                           {3.5821168, -2.5766242, 0.4872445},
                                           {2.7044521, -2.0123759, 0.4565303}};
    for (const auto& [a, b, c] : kPolynomials) {
        const Numbers G = gram(), GX = product(G, X, rows, rows, columns);
        const Numbers GGX = product(G, GX, rows, rows, columns);
        for (Index i = 0; i < X.count(); ++i) X[i] = a * X[i] + b * GX[i] + c * GGX[i];
    }
    std::transform(X.begin(), X.end(), y, [](double number) { return Real(number); });
}

// The plain form needs no memory from its caller.
Index orthogonalise_numbers(Index, Index) { return 0; }

// Muon's last step: w = keep w - rate y
void descend(Real* w, const Real* y, Index count, double keep, double rate) {
    for (Index i = 0; i < count; ++i) w[i] = Real(keep * w[i] - rate * y[i]);
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
