// Attention in plain loops: one query after another.
#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "support/reference_parts.h"

namespace zhuyi::reference {
namespace {

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

}  // namespace

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

}  // namespace zhuyi::reference
