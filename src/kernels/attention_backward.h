// The backward of attention, one head of one text at a time:
//
// dW = dM Vᵀ,  dscore = W (dW - Σ W dW),  dQ = dscore K / √d,  dK = dscoreᵀ Q / √d,  dV = Wᵀ dM
//
// where W are the attention weights (ops/attention.cpp writes p) and M is the mix, y there.
// The weights are made again from the row's maximum and 1 / Σ, with the operations of forward and
// so with the same bits. dK and dV gather over the queries, a stretch at a time, in memory that the
// task owns; for each key they begin at the first query that sees it.
#pragma once
#include "kernels/attention.h"

namespace zhuyi::ZHUYI_INSTRUCTION_SET {
namespace {

struct HeadScratch {
    Real *K_transposed, *V_transposed, *K, *dK, *dV, *weights, *slopes, *rows;

    static Index size(const Attention& a) {
        const Index keys = round_up(a.S, kLanes);
        const Index wide_k = round_up(a.d_k, kLanes), wide_v = round_up(a.d_v, kLanes);
        return keys * (a.d_k + a.d_v + 2 * wide_k + wide_v) +
               smaller_of(kStretch, a.T) * (2 * keys + larger_of(wide_k, wide_v));
    }
    HeadScratch(Real* memory, const Attention& a) {
        const Index keys = round_up(a.S, kLanes);
        const Index wide_k = round_up(a.d_k, kLanes), wide_v = round_up(a.d_v, kLanes);
        const auto take = [&](Index count) { return (memory += count) - count; };
        K_transposed = take(a.d_k * keys), V_transposed = take(a.d_v * keys);
        K = take(keys * wide_k), dK = take(keys * wide_k), dV = take(keys * wide_v);
        const Index queries = smaller_of(kStretch, a.T);
        weights = take(queries * keys), slopes = take(queries * keys);
        rows = take(queries * larger_of(wide_k, wide_v));
    }
};

// Adds (or stores) `count` rows of padded width into rows `row` apart.
inline void give_rows(Destination to, Index offset, Index row, const Real* from, Index count,
                      Index width) {
    if (!to) return;
    for (Index i = 0; i < count; ++i, offset += row, from += round_up(width, kLanes))
        for_lanes(width, [&](Index j, auto part) { put(to, offset + j, load(from + j), part); });
}

// Σ W dW of one query; dW becomes zero from `seen` to `end`
inline Real inner_product(Real* slopes, const Real* weights, Index seen, Index end) {
    Lanes inner = all(0);
    for_lanes(seen, [&](Index s, auto part) {
        const Lanes d = choose(load(slopes + s), all(0), part);
        inner = fma(load(weights + s), d, inner);
        store(slopes + s, d);
    });
    clear(slopes, round_up(seen, kLanes), end);
    return sum(inner);
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
        transpose_rows(s_.K_transposed, head_.padded_keys, head_.K, head_.row_k, a_.S, a_.d_k);
        transpose_rows(s_.V_transposed, head_.padded_keys, head_.V, head_.row_v, a_.S, a_.d_v);
        copy_rows(s_.K, head_.K, head_.row_k, a_.S, a_.d_k);
        clear(s_.dK, 0, a_.S * wide_k_);
        clear(s_.dV, 0, a_.S * wide_v_);
        for (Index t = 0; t < a_.T; t += kStretch) {
            const Index count = smaller_of(kStretch, a_.T - t);
            weights_of(t, count);
            slopes_of(t, count, d_weights, d_scores);
            to_queries(t, count, dQ);
            to_keys(t, count);
        }
        give_rows(dK, offset_k_, head_.row_k, s_.dK, a_.S, a_.d_k);
        give_rows(dV, offset_v_, head_.row_v, s_.dV, a_.S, a_.d_v);
    }

  private:
    void weights_of(Index t, Index count) {
        const Index first = head_.batch_head * a_.T + t, keys = head_.padded_keys;
        scores_of(s_.weights, head_, t, count, s_.K_transposed, keys);
        for (Index i = 0; i < count; ++i)
            exponentials(s_.weights + i * keys, head_.seen(t + i), keys, head_.inverse_root,
                         a_.row_max[first + i], a_.row_scale[first + i]);
    }

    // dscore / √d of the stretch
    void slopes_of(Index t, Index count, Real* d_weights, Real* d_scores) {
        const Index first = head_.batch_head * a_.T + t, keys = head_.padded_keys;
        for_keys(s_.slopes, head_, t, count, d_mix_, head_.row_v, s_.V_transposed, a_.d_v, keys);
        Real means[kStretch];
        for (Index i = 0; i < count; ++i) {
            Real* slopes = s_.slopes + i * keys;
            const Index seen = head_.seen(t + i);
            if (d_weights) give_row(d_weights + (first + i) * a_.S, slopes, seen);
            means[i] = inner_product(slopes, s_.weights + i * keys, seen, keys);
        }
        for (Index i = 0; i < count; ++i) {
            Real *slopes = s_.slopes + i * keys, *weights = s_.weights + i * keys;
            Real* const scores = d_scores ? d_scores + (first + i) * a_.S : nullptr;
            for_lanes(head_.seen(t + i), [&](Index s, auto part) {
                const Lanes d = load(weights + s) * (load(slopes + s) - all(means[i]));
                if (scores) store(scores + s, d, part);
                store(slopes + s, choose(d, all(0), part) * all(head_.inverse_root));
            });
            if (scores)
                for (Index s = head_.seen(t + i); s < a_.S; ++s) scores[s] = 0;
        }
    }

    void to_queries(Index t, Index count, Destination dQ) {
        const Index keys = head_.padded_keys;
        for (Index i = 0; i < count; i += kQueries) {
            const Index rows = smaller_of(kQueries, count - i);
            multiply<RowsOf>({rows,
                              wide_k_,
                              head_.seen(t + i + rows - 1),
                              {s_.slopes + i * keys, keys},
                              s_.K,
                              wide_k_,
                              {s_.rows},
                              wide_k_});
            give_rows(dQ, offset_k_ + (t + i) * head_.row_k, head_.row_k, s_.rows, rows, a_.d_k);
        }
    }

    // dK += slopesᵀ Q and dV += weightsᵀ dM
    void to_keys(Index t, Index count) {
        copy_rows(s_.rows, head_.Q + t * head_.row_k, head_.row_k, count, a_.d_k);
        gather(s_.dK, wide_k_, s_.slopes, t, count);
        copy_rows(s_.rows, d_mix_ + t * head_.row_v, head_.row_v, count, a_.d_v);
        gather(s_.dV, wide_v_, s_.weights, t, count);
    }
    void gather(Real* to, Index wide, const Real* from, Index t, Index count) {
        const Index keys = head_.seen(t + count - 1), most = rows_of_tile(keys);
        for (Index s = 0; s < keys; s += most) {
            Index unseeing = 0;  // queries before key s
            while (head_.seen(t + unseeing) <= s) ++unseeing;
            multiply<ColumnsOf>({smaller_of(most, keys - s),
                                 wide,
                                 count - unseeing,
                                 {from + unseeing * head_.padded_keys + s, head_.padded_keys},
                                 s_.rows + unseeing * wide,
                                 wide,
                                 {to + s * wide, true},
                                 wide});
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
