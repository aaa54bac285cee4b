#include "ops/attention.h"

#include "base/check.h"

namespace zhuyi {

// For each text and head, with q_t, k_s, v_s the rows of this head:
//
//     1  scores   a[t, s] = q_t · k_s / √d_k       for s <= t (the causal mask leaves the rest out)
//     2  weights  p[t, :] = softmax(a[t, :])       each row sums to 1
//     3  mix      y_t     = Σ_s p[t, s] v_s
//
// and back, from dy:
//
//     undo 3      dv_s   += Σ_t p[t, s] dy_t        dp[t, s] = dy_t · v_s
//     undo 2      da[t, s] = p[t, s] (dp[t, s] - Σ_j p[t, j] dp[t, j])
//     undo 1      dq_t   += Σ_s da[t, s] k_s / √d_k     dk_s += Σ_t da[t, s] q_t / √d_k
//
// The weights are kept only for whoever watches: backward computes them again, bit for bit, from each
// row's maximum and 1/Σ. That takes no longer than to bring T² numbers from memory, and memory grows
// with T.
Tensor attention(const Tensor& Q, const Tensor& K, const Tensor& V, Index heads, Mask mask,
                 Index rows_in_memory) {
    const Index B = Q.shape[0], T = Q.shape[1], S = K.shape[1], H = heads;
    require(Q.columns() % H == 0 && V.columns() % H == 0, "attention: heads divide the channels");
    require(Q.columns() == K.columns(), "attention: queries and keys have the same length");
    require(K.shape[0] == B && V.shape[0] == B && V.shape[1] == S && T <= S,
            "attention: one key and one value for each position, at most as many queries");
    Tape& tape = *Q.tape;
    const Index rows = rows_in_memory ? rows_in_memory : S;
    Attention a{.B = B,
                .H = H,
                .T = T,
                .S = S,
                .d_k = Q.columns() / H,
                .d_v = V.columns() / H,
                .causal = mask == Mask::causal,
                .Q = Q.value,
                .K = K.value,
                .V = V.value,
                .batch_stride_K = rows * K.columns(),
                .batch_stride_V = rows * V.columns()};
    Tensor weights{};  // (B, H, T, S)
    const bool watched = tape.watched("weights");
    if (watched) {
        weights = tape.tensor({B, H, T, S});
        a.weights = weights.value;
    }
    a.row_max = tape.keep<Real>(B * H * T).data();
    a.row_scale = tape.keep<Real>(B * H * T).data();
    const Tensor mix = tape.tensor({B, T, V.columns()});
    kernels().attention_forward(mix.value, a, tape.workspace());
    if (weights) tape.name("weights", weights);
    if (!tape.recording()) return mix;

    require(T == S, "attention: backward needs every position's query");
    const char* scope = watched ? tape.keep_text(tape.full_name("")) : nullptr;
    tape.record("attention", {mix}, [=](Tape& t) {
        Real* d_weights = watched ? t.keep<Real>(weights.size()).data() : nullptr;
        Real* d_scores = watched ? t.keep<Real>(weights.size()).data() : nullptr;
        kernels().attention_backward(t.into(Q), t.into(K), t.into(V), d_weights, d_scores,
                                     t.gradient(mix), a, t.workspace());
        if (!watched) return;
        const std::size_t size = std::size_t(weights.size());
        t.show_gradient(scope + std::string("weights"), weights, {d_weights, size});
        t.show_gradient(scope + std::string("scores"), weights, {d_scores, size});
    });
    return mix;
}

}  // namespace zhuyi
