#include "ops/attention.h"

#include "autograd/tape.h"
#include "base/check.h"
#include "kernels/past.h"

namespace zhuyi {

// For each text and head, with q_t, k_s, v_s the rows of this head:
//
//     1  scores   a[t, s] = q_t · k_s / √d_k       for s <= t (the causal mask leaves the rest out)
//     2  weights  p[t, :] = softmax(a[t, :])       each row sums to 1
//     3  mix      y_t     = Σ_s p[t, s] v_s
//
// and backward, from dy:
//
//     3  dv_s     += Σ_t p[t, s] dy_t              dp[t, s] = dy_t · v_s
//     2  da[t, s]  = p[t, s] (dp[t, s] - Σ_j p[t, j] dp[t, j])
//     1  dq_t     += Σ_s da[t, s] k_s / √d_k       dk_s += Σ_t da[t, s] q_t / √d_k
//
// The weights are kept only if somebody watches. Backward computes them again, bit for bit, from
// each row's maximum and 1/Σ: that takes no longer than reading T² numbers from memory, and the
// memory of a pass grows with T instead of T².
Tensor attention(const Tensor& Q, const Tensor& K, const Tensor& V, Index heads, Mask mask,
                 PastOfBlock* past) {
    const Index B = Q.shape[0], T = Q.shape[1], H = heads;
    require(Q.columns() % H == 0 && V.columns() % H == 0, "attention: heads divide the channels");
    require(Q.columns() == K.columns(), "attention: queries and keys have the same length");
    require(K.shape[0] == B && V.shape[0] == B && K.shape[1] == V.shape[1] && T <= K.shape[1],
            "attention: one key and one value for each position, at most as many queries");
    require(!Q.tape->recording() || (T == K.shape[1] && !past),
            "attention: backward needs every position's query");
    Tape& tape = *Q.tape;
    Attention a{.B = B,
                .H = H,
                .T = T,
                .S = K.shape[1],
                .d_k = Q.columns() / H,
                .d_v = V.columns() / H,
                .causal = mask == Mask::causal,
                .Q = Q.value,
                .K = K.value,
                .V = V.value};
    if (past) past->join(a);  // K, V and S are now those of all positions so far
    Tensor weights{};         // (B, H, T, S)
    const bool watched = tape.watched("weights");
    if (watched) {
        weights = tape.tensor({B, H, T, a.S});
        a.weights = weights.value;
    }
    a.row_max = tape.memory().array<Real>(B * H * T).data();  // (B, H, T), row_scale too
    a.row_scale = tape.memory().array<Real>(B * H * T).data();
    const Tensor mix = tape.tensor({B, T, V.columns()});  // (B, T, H d_v)
    kernels().attention_forward(mix.value, a, tape.workspace());

    std::span<const char> scope;
    if (watched) scope = tape.memory().copy(std::span<const char>(tape.watchers().full_name("")));
    tape.record("attention", {mix}, [=](Tape& t) {
        Real* d_weights = watched ? t.memory().array<Real>(weights.size()).data() : nullptr;
        Real* d_scores = watched ? t.memory().array<Real>(weights.size()).data() : nullptr;
        kernels().attention_backward(t.into(Q), t.into(K), t.into(V), d_weights, d_scores,
                                     t.gradient(mix), a, t.workspace());
        if (!watched) return;
        const auto show = [&](const char* name, const Real* d) {
            const std::string full_name = std::string(scope.begin(), scope.end()) + name;
            t.watchers().show_gradient(full_name, weights, {d, std::size_t(weights.size())});
        };
        show("weights", d_weights), show("scores", d_scores);
    });
    if (watched) tape.name("weights", weights);
    return mix;
}

}  // namespace zhuyi
