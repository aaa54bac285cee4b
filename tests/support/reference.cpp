// What each kernel computes, in plain loops and in double. Slow: the tests hold the fast kernels
// against it. The formulas stand in ops/ and train/.
#include "support/reference.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "base/math.h"
#include "base/random.h"

namespace zhuyi::reference {

Real round_to_bf16(Real x) {
    if (x != x) return x;
    std::uint32_t bits = std::bit_cast<std::uint32_t>(float(x));
    if ((bits & 0x7f800000u) == 0) return Real(std::bit_cast<float>(bits & 0x80000000u));
    bits += 0x7fffu + (bits >> 16 & 1u);  // half a unit, a little less when the number is even
    return Real(std::bit_cast<float>(bits & 0xffff0000u));
}

namespace {

void put(Destination sum, Index i, double value) {
    if (sum) sum.data[i] = Real(sum.add ? double(sum.data[i]) + value : value);
}

constexpr double kRootTwoOverPi = 0.7978845608028654, kCube = 0.044715;

void gelu_forward(Real* y, const Real* x, Index count) {
    for (Index i = 0; i < count; ++i) {
        const double a = x[i];
        y[i] = Real(0.5 * a * (1 + math::tanh(kRootTwoOverPi * (a + kCube * a * a * a))));
    }
}

void gelu_backward(Destination dx, const Real* dy, const Real* x, Index count) {
    for (Index i = 0; i < count; ++i) {
        const double a = x[i], t = math::tanh(kRootTwoOverPi * (a + kCube * a * a * a));
        const double slope =
            0.5 * (1 + t) + 0.5 * a * (1 - t * t) * kRootTwoOverPi * (1 + 3 * kCube * a * a);
        put(dx, i, dy[i] * slope);
    }
}

void finish_gelu(const Gemm& g) {
    const Real one = 1;
    for (Index i = 0; i < g.M; ++i)
        for (Index j = 0; j < g.N; ++j) {
            Real& c = g.C.data[i * g.stride + j];
            if (g.slope) gelu_backward({g.slope + i * g.stride + j}, &one, &c, 1);
            gelu_forward(&c, &c, 1);
        }
}

void gemm(const Gemm& g, Workspace&) {
    const auto element = [&](const Matrix& m, Index i, Index j) {
        const Real x = m.data[i * m.row + j * m.column];
        return double(g.precision == Precision::bf16 ? round_to_bf16(x) : x);
    };
    for (Index i = 0; i < g.M; ++i)
        for (Index j = 0; j < g.N; ++j) {
            double sum = g.bias ? double(g.bias[j]) : 0;
            for (Index k = 0; k < g.K; ++k) sum += element(g.A, i, k) * element(g.B, k, j);
            put(g.C, i * g.stride + j, sum);
        }
    if (g.finish == Finish::gelu) finish_gelu(g);
}

void gemms(const Gemm* products, Index count, Workspace& workspace) {
    for (Index i = 0; i < count; ++i) gemm(products[i], workspace);
}

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
    std::vector<double> sum_gamma(std::size_t(C), 0.0), sum_beta(std::size_t(C), 0.0);
    for (Index r = 0; r < N; ++r) {
        const auto normal = [&](Index c) { return (double(x[r * C + c]) - mean[r]) * rstd[r]; };
        double mean_g = 0, mean_gx = 0;
        for (Index c = 0; c < C; ++c) {
            const double d = dy[r * C + c], g = d * gamma[c];
            mean_g += g / double(C), mean_gx += g * normal(c) / double(C);
            sum_gamma[std::size_t(c)] += d * normal(c), sum_beta[std::size_t(c)] += d;
        }
        for (Index c = 0; c < C; ++c) {
            const double g = double(dy[r * C + c]) * gamma[c];
            put(dx, r * C + c, rstd[r] * (g - mean_g - normal(c) * mean_gx));
        }
    }
    for (Index c = 0; c < C; ++c) {
        put(dgamma, c, sum_gamma[std::size_t(c)]);
        put(dbeta, c, sum_beta[std::size_t(c)]);
    }
}

void sum_rows(Destination db, const Real* dy, Index N, Index C) {
    for (Index c = 0; c < C; ++c) {
        double sum = 0;
        for (Index r = 0; r < N; ++r) sum += dy[r * C + c];
        put(db, c, sum);
    }
}

void gelu_erf_forward(Real* y, const Real* x, Index count) {
    for (Index i = 0; i < count; ++i) {
        const double a = x[i];
        y[i] = Real(a * 0.5 * std::erfc(-a / std::sqrt(2.0)));
    }
}

void gelu_erf_backward(Destination dx, const Real* dy, const Real* x, Index count) {
    for (Index i = 0; i < count; ++i) {
        const double a = x[i], bell = math::exp(-a * a / 2) / std::sqrt(2 * 3.141592653589793);
        put(dx, i, dy[i] * (0.5 * std::erfc(-a / std::sqrt(2.0)) + a * bell));
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

// One query's keys: how many it sees, and where things stand.
struct Query {
    Index seen;
    const Real* q;
    const Real* K;  // number i of key s at K + s * key + i * channel
    Index key, channel;
    const Real* V;
    Index row;  // in (B, H, T)
};

Query query(const Attention& a, Index b, Index h, Index t) {
    const Index key = a.room ? 1 : a.H * a.d_k, channel = a.room ? a.room : 1;
    const Index seen = a.causal ? a.S - a.T + t + 1 : a.S, row = (b * a.H + h) * a.T + t;
    const Index text = b * (a.room ? a.room : a.S) * a.H;  // · d_k or d_v numbers
    return {seen,
            a.Q + (b * a.T + t) * a.H * a.d_k + h * a.d_k,
            a.K + text * a.d_k + h * a.d_k * channel,
            key,
            channel,
            a.V + text * a.d_v + h * a.d_v,
            row};
}

// softmax(q Kᵀ / √d_k) of one query, zero after the last key that it sees
std::vector<double> attention_weights(const Attention& a, const Query& at, double& max,
                                      double& scale) {
    std::vector<double> w(std::size_t(a.S), 0.0);
    const auto seen = w.begin() + at.seen;
    for (Index s = 0; s < at.seen; ++s) {
        for (Index i = 0; i < a.d_k; ++i)
            w[std::size_t(s)] += double(at.q[i]) * at.K[s * at.key + i * at.channel];
        w[std::size_t(s)] /= std::sqrt(double(a.d_k));
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
        const std::vector<double> w = attention_weights(a, at, max, scale);
        if (a.row_max) a.row_max[at.row] = Real(max);
        if (a.row_scale) a.row_scale[at.row] = Real(scale);
        if (a.weights) std::copy(w.begin(), w.end(), a.weights + at.row * a.S);
        for (Index i = 0; i < a.d_v; ++i) {
            double sum = 0;
            for (Index s = 0; s < at.seen; ++s)
                sum += w[std::size_t(s)] * at.V[s * a.H * a.d_v + i];
            mix[(b * a.T + t) * a.H * a.d_v + h * a.d_v + i] = Real(sum);
        }
    });
}

// w: a query's attention weights.
// dw[s] = d_mix · V[s];  d_score = w (dw - Σ w dw);  dQ, dK from score = Q Kᵀ / √d_k
void attention_backward(Destination dQ, Destination dK, Destination dV, Real* d_weights,
                        Real* d_scores, const Real* d_mix, const Attention& a, Workspace&) {
    const auto size_k = std::size_t(a.B * a.T * a.H * a.d_k);
    const auto size_v = std::size_t(a.B * a.T * a.H * a.d_v);
    std::vector<double> q(size_k, 0.0), k(size_k, 0.0), v(size_v, 0.0), dw(std::size_t(a.S), 0.0);
    const double root = std::sqrt(double(a.d_k));
    for_each_query(a, [&](Index b, Index h, Index t, const Query& at) {
        double max, scale, inner = 0;
        const std::vector<double> w = attention_weights(a, at, max, scale);
        const Index row_k = a.H * a.d_k, row_v = a.H * a.d_v;
        const Real* dm = d_mix + (b * a.T + t) * row_v + h * a.d_v;
        for (Index s = 0; s < at.seen; ++s) {
            double& sum = dw[std::size_t(s)] = 0;
            for (Index i = 0; i < a.d_v; ++i) {
                sum += double(dm[i]) * at.V[s * row_v + i];
                v[std::size_t((b * a.T + s) * row_v + h * a.d_v + i)] += w[std::size_t(s)] * dm[i];
            }
            inner += w[std::size_t(s)] * sum;
        }
        for (Index s = 0; s < a.S; ++s) {
            const bool seen = s < at.seen;
            const double ds = seen ? w[std::size_t(s)] * (dw[std::size_t(s)] - inner) : 0;
            if (d_weights) d_weights[at.row * a.S + s] = Real(seen ? dw[std::size_t(s)] : 0);
            if (d_scores) d_scores[at.row * a.S + s] = Real(ds);
            for (Index i = 0; seen && i < a.d_k; ++i) {
                q[std::size_t((b * a.T + t) * row_k + h * a.d_k + i)] +=
                    ds / root * at.K[s * row_k + i];
                k[std::size_t((b * a.T + s) * row_k + h * a.d_k + i)] += ds / root * at.q[i];
            }
        }
    });
    for (std::size_t i = 0; i < size_k; ++i) put(dQ, Index(i), q[i]), put(dK, Index(i), k[i]);
    for (std::size_t i = 0; i < size_v; ++i) put(dV, Index(i), v[i]);
}

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

void momentum(Real* u, Real* m, const Real* gradients, Index count, double mu, double s) {
    for (Index i = 0; i < count; ++i) {
        const double g = (1 - mu) * s * gradients[i], mean = mu * m[i] + g;
        m[i] = Real(mean), u[i] = Real(mu * mean + g);
    }
}

// The plain form: X ← a X + b (X Xᵀ) X + c (X Xᵀ)² X, three times, on the whole matrix
// (coefficients: kernels/orthogonal.h).
void orthogonalise(Real* y, const Real* x, Index rows, Index columns, Real*) {
    using Numbers = std::vector<double>;
    const auto product = [](const Numbers& a, const Numbers& b, Index M, Index K, Index N) {
        Numbers c(std::size_t(M * N));
        for (Index i = 0; i < M; ++i)
            for (Index k = 0; k < K; ++k)
                for (Index j = 0; j < N; ++j)
                    c[std::size_t(i * N + j)] +=
                        a[std::size_t(i * K + k)] * b[std::size_t(k * N + j)];
        return c;
    };
    Numbers X(x, x + rows * columns);
    double most = 0;
    for (double& number : X) most = std::max(most, std::fabs(number));
    if (most == 0) return void(std::fill_n(y, rows * columns, Real(0)));
    const auto gram = [&] {
        Numbers turned(X.size());
        for (Index i = 0; i < rows; ++i)
            for (Index j = 0; j < columns; ++j)
                turned[std::size_t(j * rows + i)] = X[std::size_t(i * columns + j)];
        return product(X, turned, rows, columns, rows);
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
        for (std::size_t i = 0; i < X.size(); ++i) X[i] = a * X[i] + b * GX[i] + c * GGX[i];
    }
    std::transform(X.begin(), X.end(), y, [](double number) { return Real(number); });
}

Index orthogonalise_numbers(Index, Index) { return 0; }

void descend(Real* w, const Real* y, Index count, double keep, double rate) {
    for (Index i = 0; i < count; ++i) w[i] = Real(keep * w[i] - rate * y[i]);
}

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
        .gelu_forward = gelu_forward,
        .gelu_backward = gelu_backward,
        .gelu_erf_forward = gelu_erf_forward,
        .gelu_erf_backward = gelu_erf_backward,
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
