// The backward of attention, one head of one text at a time:
//
// dW = dM Vᵀ,  dscore = W (dW - Σ W dW),  dQ = dscore K / √d,  dK = dscoreᵀ Q / √d,  dV = Wᵀ dM
//
// where W are the attention weights (ops/attention.cpp writes p) and M is the mix, y there.
// The weights are made again from the row's maximum and 1 / Σ, with the operations of forward and
// so with the same bits. dK and dV gather over the queries, eight by eight, in memory that the task
// owns.
#pragma once
#include "kernels/attention.h"

namespace zhuyi::ZHUYI_INSTRUCTION_SET {
namespace {

struct HeadScratch {
    Real *K_turned, *V_turned, *K, *dK, *dV, *weights, *slopes, *rows;

    static Index size(const Attention& a) {
        const Index keys = round_up(a.S, kLanes);
        const Index wide_k = round_up(a.d_k, kLanes), wide_v = round_up(a.d_v, kLanes);
        return keys * (a.d_k + a.d_v + 2 * wide_k + wide_v + 2 * kQueries) +
               kQueries * (wide_k + wide_v);
    }
    HeadScratch(Real* memory, const Attention& a) {
        const Index keys = round_up(a.S, kLanes);
        const Index wide_k = round_up(a.d_k, kLanes), wide_v = round_up(a.d_v, kLanes);
        const auto take = [&](Index count) { return (memory += count) - count; };
        K_turned = take(a.d_k * keys), V_turned = take(a.d_v * keys);
        K = take(keys * wide_k), dK = take(keys * wide_k), dV = take(keys * wide_v);
        weights = take(kQueries * keys), slopes = take(kQueries * keys);
        rows = take(kQueries * (wide_k + wide_v));
    }
};

// Adds (or stores) `count` rows of padded width into rows `row` apart.
inline void give_rows(Destination to, Index offset, Index row, const Real* from, Index count,
                      Index width) {
    if (!to) return;
    for (Index i = 0; i < count; ++i, offset += row, from += round_up(width, kLanes))
        for_lanes(width, [&](Index j, auto part) { put(to, offset + j, load(from + j), part); });
}

// W (dW - Σ W dW) of one query in place of dW; both rows are zero from `seen` on.
inline void softmax_backward(Real* slopes, const Real* weights, Index seen, Index end) {
    Lanes inner = all(0);
    for_lanes(seen, [&](Index s, auto part) {
        const Lanes d = choose(load(slopes + s), all(0), part);
        inner = fma(load(weights + s), d, inner);
        store(slopes + s, d);
    });
    const Lanes mean = all(sum(inner));
    for_lanes(seen, [&](Index s, auto part) {
        const Lanes d = load(weights + s) * (load(slopes + s) - mean);
        store(slopes + s, choose(d, all(0), part));
    });
    clear(slopes, round_up(seen, kLanes), end);
}

class HeadBackward {
  public:
    HeadBackward(const Attention& a, Index index, Real* memory, const Real* d_mix)
        : a_(a),
          head_(a, index),
          s_(memory, a),
          wide_k_(round_up(a.d_k, kLanes)),
          wide_v_(round_up(a.d_v, kLanes)),
          offset_k_(head_.b * a.T * head_.row_k + head_.h * a.d_k),
          offset_v_(head_.b * a.T * head_.row_v + head_.h * a.d_v),
          d_mix_(d_mix + offset_v_) {}

    void run(Destination dQ, Destination dK, Destination dV, Real* d_weights, Real* d_scores) {
        turn_rows(s_.K_turned, head_.padded_keys, head_.K, head_.row_k, a_.S, a_.d_k);
        turn_rows(s_.V_turned, head_.padded_keys, head_.V, head_.row_v, a_.S, a_.d_v);
        copy_rows(s_.K, head_.K, head_.row_k, a_.S, a_.d_k);
        clear(s_.dK, 0, a_.S * wide_k_);
        clear(s_.dV, 0, a_.S * wide_v_);
        for (Index t = 0; t < a_.T; t += kQueries) queries(t, dQ, d_weights, d_scores);
        give_rows(dK, offset_k_, head_.row_k, s_.dK, a_.S, a_.d_k);
        give_rows(dV, offset_v_, head_.row_v, s_.dV, a_.S, a_.d_v);
    }

  private:
    void queries(Index t, Destination dQ, Real* d_weights, Real* d_scores) {
        const Index count = smaller_of(kQueries, a_.T - t), keys = head_.seen(t + count - 1);
        const Index first = head_.batch_head * a_.T + t, padded = head_.padded_keys;
        weights_of(t, count);
        multiply({count,
                  round_up(keys, kLanes),
                  a_.d_v,
                  {d_mix_ + t * head_.row_v, head_.row_v, 1},
                  s_.V_turned,
                  padded,
                  {s_.slopes},
                  padded});
        for (Index i = 0; i < count; ++i) {
            Real* slopes = s_.slopes + i * padded;
            const Index seen = head_.seen(t + i);
            if (d_weights) give_row(d_weights + (first + i) * a_.S, slopes, seen);
            softmax_backward(slopes, s_.weights + i * padded, seen, padded);
            if (d_scores) copy_row(d_scores + (first + i) * a_.S, slopes, a_.S);
            for_lanes(seen, [&](Index s, auto) {
                store(slopes + s, load(slopes + s) * all(head_.inverse_root));
            });
        }
        Real* const wide = s_.rows;  // dQ of these queries, then Q and d_mix as padded rows
        multiply({count, wide_k_, keys, {s_.slopes, padded, 1}, s_.K, wide_k_, {wide}, wide_k_});
        give_rows(dQ, offset_k_ + t * head_.row_k, head_.row_k, wide, count, a_.d_k);
        copy_rows(wide, head_.Q + t * head_.row_k, head_.row_k, count, a_.d_k);
        multiply(
            {keys, wide_k_, count, {s_.slopes, 1, padded}, wide, wide_k_, {s_.dK, true}, wide_k_});
        copy_rows(wide, d_mix_ + t * head_.row_v, head_.row_v, count, a_.d_v);
        multiply(
            {keys, wide_v_, count, {s_.weights, 1, padded}, wide, wide_v_, {s_.dV, true}, wide_v_});
    }

    void weights_of(Index t, Index count) {
        const Index first = head_.batch_head * a_.T + t;
        scores_of(s_.weights, head_, t, count, s_.K_turned, head_.padded_keys);
        for (Index i = 0; i < count; ++i) {
            Real* w = s_.weights + i * head_.padded_keys;
            const Index seen = head_.seen(t + i), row = first + i;
            exponentials(w, seen, head_.inverse_root, a_.row_max[row], a_.row_scale[row]);
            clear(w, round_up(seen, kLanes), head_.padded_keys);
        }
    }

    // A row for watchers; zero from `seen` on
    void give_row(Real* to, const Real* from, Index seen) const {
        copy_row(to, from, seen);
        for (Index s = seen; s < a_.S; ++s) to[s] = 0;
    }

    const Attention& a_;
    Head head_;
    HeadScratch s_;
    Index wide_k_, wide_v_, offset_k_, offset_v_;
    const Real* d_mix_;
};

inline void attention_backward(Destination dQ, Destination dK, Destination dV, Real* d_weights,
                               Real* d_scores, const Real* d_mix, const Attention& a,
                               Workspace& workspace) {
    const Index size = HeadScratch::size(a);
    for (int thread = 0; thread < thread_count(); ++thread) workspace.local(thread, size);
    parallel_for(a.B * a.H, 3 * head_cost(a), [&](Index index) {
        HeadBackward(a, index, workspace.local(thread_number(), size), d_mix)
            .run(dQ, dK, dV, d_weights, d_scores);
    });
}

}  // namespace
}  // namespace zhuyi::ZHUYI_INSTRUCTION_SET
