// Scaled dot-product attention (Vaswani et al. 2017) of one head of one text at a time: softmax(Q Kᵀ / √d) V.
//
// A task owns a head. It copies what it needs of K and V side by side (a head's rows stand C numbers apart in memory,
// and strides like 512 or 1024 fall into the same few cache lines), then takes queries eight at a time. A causal
// query t sees the keys 0 … S - T + t only; the products stop at the last key of the eight.
//
// The bits of a query's row do not depend on T: each score and each number of the mix is a chain over d or over
// the keys in order, and the softmax's sum runs over the keys in 16 lanes from key 0. So a text generated one
// position at a time gives the numbers of a forward pass over the whole of it. One subtlety: the eight share their
// last key, so a row may go through a few keys of weight zero. Adding 0 · v changes a sum only if that is -0; hence
// the + 0 at the end of each row of the mix, which makes +0 of it.
#pragma once
#include "base/parallel.h"
#include "kernels/cross_entropy.h"
#include "kernels/pack.h"

namespace zhuyi::ZHUYI_INSTRUCTION_SET {
namespace {

constexpr Index kQueries =
    8;  // share a block; not the machine's choice, for it shows where sums carry zeros

// C (M, N) = [C +] A (M, K) · B (K, N): small operands in the caches, A as it stands, B's rows padded to whole
// vectors.
struct SmallProduct {
    Index M, N, K;
    StridedRows A;
    const Real* B;
    Index B_row;
    Sum C;
    Index C_row;
};

// Always in place: a description that went through memory would be read back in other pieces than it was written in,
// and such a load waits until every store before it has reached the cache.
[[gnu::always_inline]] inline void multiply(const SmallProduct& p) {
    constexpr Index kRows = kTileRows < kQueries ? 4 : kQueries;
    for (Index i = 0; i < p.M; i += kRows) {
        const Index rows = smaller_of(kRows, p.M - i);
        const StridedRows a = {p.A.at + i * p.A.row, p.A.row, p.A.k};
        for (Index j = 0; j < p.N;) {
            Real* c = p.C.data + i * p.C_row + j;
            const Start start = {p.C.add ? c : nullptr, p.C_row};
            if (kTileVectors == 2 && p.N - j > kLanes) {
                const Index n = smaller_of(2 * kLanes, p.N - j);
                Tiles<Exact, StridedRows, kTileVectors>::of(rows)(p.K, a, p.B + j, p.B_row, start,
                                                                  c, p.C_row, n, Store::cached, {});
                j += n;
            } else {
                const Index n = smaller_of(kLanes, p.N - j);
                Tiles<Exact, StridedRows, 1>::of(rows)(p.K, a, p.B + j, p.B_row, start, c, p.C_row,
                                                       n, Store::cached, {});
                j += n;
            }
        }
    }
}

// Rows (count x width, `row` apart) side by side, each padded with zeros to whole vectors.
inline void copy_rows(Real* to, const Real* from, Index row, Index count, Index width) {
    for (Index i = 0; i < count; ++i, from += row, to += round_up(width, kLanes))
        for_lanes(width, [&](Index j, auto part) { store(to + j, load(from + j, part)); });
}

// The same turned over: to[j][i] = from[i][j], rows of `stride` >= count numbers, a multiple of 16
inline void turn_rows(Real* to, Index stride, const Real* from, Index row, Index count,
                      Index width) {
    for (Index i = 0; i < count; i += kLanes)
        pack_strip<PackExact, kLanes>(to + i, stride, from + i * row, row, 1,
                                      smaller_of(kLanes, count - i), width);
}

// One head of one text.
struct Head {
    const Attention& a;
    Index b, h, batch_head;
    Index row_k, row_v;  // from one position to the next
    const Real *Q, *K, *V;
    Index keys;  // S as a multiple of 16
    Real scale;

    Head(const Attention& attention, Index index)
        : a(attention),
          b(index / attention.H),
          h(index % attention.H),
          batch_head(index),
          row_k(a.H * a.d_k),
          row_v(a.H * a.d_v),
          Q(a.Q + b * a.T * row_k + h * a.d_k),
          K(a.K + b * a.batch_stride_K + h * a.d_k),
          V(a.V + b * a.batch_stride_V + h * a.d_v),
          keys(round_up(a.S, kLanes)),
          scale(Real(1 / __builtin_sqrt(double(a.d_k)))) {}

    // How many keys query t sees.
    Index seen(Index t) const { return a.causal ? a.S - a.T + t + 1 : a.S; }
};

// scores (queries t … t + count, rows of head.keys) = Q Kᵀ / √d for the keys the last of them sees
inline void scores_of(Real* scores, const Head& head, Index t, Index count, const Real* K_turned) {
    multiply({count,
              round_up(head.seen(t + count - 1), kLanes),
              head.a.d_k,
              {head.Q + t * head.row_k, head.row_k, 1},
              K_turned,
              head.keys,
              {scores},
              head.keys});
}

// exp(score / √d - max) · scale in place, zero from `seen` to `end` (multiples of 16 are always complete)
[[gnu::always_inline]] inline void exponentials(Real* row, Index seen, Real root, Real max,
                                                Real scale) {
    for_lanes(seen, [&](Index s, auto part) {
        const Lanes e = exp(load(row + s) * all(root) - all(max)) * all(scale);
        store(row + s, choose(e, all(0), part));
    });
}

inline void clear(Real* row, Index from, Index end) {
    for (Index s = from; s < end; s += kLanes) store(row + s, all(0));
}

// softmax of one row of scores in place; what lies behind `seen` becomes zero up to `end`
inline void softmax(Real* row, Index seen, Index end, Real root, Real& row_max, Real& row_scale) {
    Lanes largest = all(-__builtin_inff());
    for_lanes(seen, [&](Index s, auto part) {
        largest = larger(largest, choose(load(row + s) * all(root), largest, part));
    });
    const Real max = maximum(largest);
    Lanes total = all(0);
    for_lanes(seen, [&](Index s, auto part) {
        const Lanes e = choose(exp(load(row + s) * all(root) - all(max)), all(0), part);
        total = total + e;
        store(row + s, e);
    });
    const Real scale = 1 / sum(total);
    for_lanes(seen, [&](Index s, auto) { store(row + s, load(row + s) * all(scale)); });
    clear(row, round_up(seen, kLanes), end);
    row_max = max, row_scale = scale;
}

inline void copy_row(Real* to, const Real* from, Index count) {
    for_lanes(count, [&](Index s, auto part) { store(to + s, load(from + s), part); });
}

inline void attend(Real* mix, const Attention& a, Index index, Real* scratch) {
    const Head head(a, index);
    const Index wide_v = round_up(a.d_v, kLanes);
    Real* const K_turned = scratch;
    Real* const V = K_turned + a.d_k * head.keys;
    Real* const weights = V + a.S * wide_v;
    Real* const mixed = weights + kQueries * head.keys;
    turn_rows(K_turned, head.keys, head.K, head.row_k, a.S, a.d_k);
    copy_rows(V, head.V, head.row_v, a.S, a.d_v);

    for (Index t = 0; t < a.T; t += kQueries) {
        const Index count = smaller_of(kQueries, a.T - t), keys = head.seen(t + count - 1);
        scores_of(weights, head, t, count, K_turned);
        for (Index i = 0; i < count; ++i) {
            const Index row = head.batch_head * a.T + t + i;
            Real* w = weights + i * head.keys;
            Real max, scale;
            softmax(w, head.seen(t + i), head.keys, head.scale, max, scale);
            if (a.row_max) a.row_max[row] = max;
            if (a.row_scale) a.row_scale[row] = scale;
            if (a.weights) copy_row(a.weights + row * a.S, w, a.S);
        }
        multiply({count, wide_v, keys, {weights, head.keys, 1}, V, wide_v, {mixed}, wide_v});
        for (Index i = 0; i < count; ++i) {
            Real* to = mix + (head.b * a.T + t + i) * head.row_v + head.h * a.d_v;
            for_lanes(a.d_v, [&](Index j, auto part) {
                store(to + j, load(mixed + i * wide_v + j) + all(0), part);
            });
        }
    }
}

// About how many multiply-adds of 16 lanes a head costs
inline double head_cost(const Attention& a) {
    return double(a.T) * double(a.S) * double(a.d_k + a.d_v + 8) / 16;
}

inline void attention_forward(Real* mix, const Attention& a, Workspace& workspace) {
    const Index keys = round_up(a.S, kLanes), wide_v = round_up(a.d_v, kLanes);
    const Index size = a.d_k * keys + a.S * wide_v + kQueries * (keys + wide_v);
    for (int thread = 0; thread < thread_count(); ++thread) workspace.local(thread, size);
    parallel_for(a.B * a.H, head_cost(a), [&](Index index) {
        attend(mix, a, index, workspace.local(thread_number(), size));
    });
}

// ---- backward
//
// dW = dM Vᵀ,  dscore = W (dW - Σ W dW),  dQ = dscore K / √d,  dK = dscoreᵀ Q / √d,  dV = Wᵀ dM.
// The weights are made again from the row's maximum and 1 / Σ, with the operations of forward and so with the same
// bits. dK and dV gather over the queries, eight by eight, in memory of the task's own.

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
inline void give_rows(Sum to, Index offset, Index row, const Real* from, Index count, Index width) {
    if (!to) return;
    for (Index i = 0; i < count; ++i, offset += row, from += round_up(width, kLanes))
        for_lanes(width, [&](Index j, auto part) { put(to, offset + j, load(from + j), part); });
}

// W (dW - Σ W dW) of one query in place of dW; both rows are zero behind `seen`.
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

    void run(Sum dQ, Sum dK, Sum dV, Real* d_weights, Real* d_scores) {
        turn_rows(s_.K_turned, head_.keys, head_.K, head_.row_k, a_.S, a_.d_k);
        turn_rows(s_.V_turned, head_.keys, head_.V, head_.row_v, a_.S, a_.d_v);
        copy_rows(s_.K, head_.K, head_.row_k, a_.S, a_.d_k);
        clear(s_.dK, 0, a_.S * wide_k_);
        clear(s_.dV, 0, a_.S * wide_v_);
        for (Index t = 0; t < a_.T; t += kQueries) queries(t, dQ, d_weights, d_scores);
        give_rows(dK, offset_k_, head_.row_k, s_.dK, a_.S, a_.d_k);
        give_rows(dV, offset_v_, head_.row_v, s_.dV, a_.S, a_.d_v);
    }

  private:
    void queries(Index t, Sum dQ, Real* d_weights, Real* d_scores) {
        const Index count = smaller_of(kQueries, a_.T - t), keys = head_.seen(t + count - 1);
        const Index first = head_.batch_head * a_.T + t, all_keys = head_.keys;
        weights_of(t, count);
        multiply({count,
                  round_up(keys, kLanes),
                  a_.d_v,
                  {d_mix_ + t * head_.row_v, head_.row_v, 1},
                  s_.V_turned,
                  all_keys,
                  {s_.slopes},
                  all_keys});
        for (Index i = 0; i < count; ++i) {
            Real* slopes = s_.slopes + i * all_keys;
            const Index seen = head_.seen(t + i);
            if (d_weights) give_row(d_weights + (first + i) * a_.S, slopes, seen);
            softmax_backward(slopes, s_.weights + i * all_keys, seen, all_keys);
            if (d_scores) give_row(d_scores + (first + i) * a_.S, slopes, a_.S);
            for_lanes(seen, [&](Index s, auto) {
                store(slopes + s, load(slopes + s) * all(head_.scale));
            });
        }
        Real* const wide = s_.rows;  // dQ of these queries, then Q and d_mix as padded rows
        multiply({count, wide_k_, keys, {s_.slopes, all_keys, 1}, s_.K, wide_k_, {wide}, wide_k_});
        give_rows(dQ, offset_k_ + t * head_.row_k, head_.row_k, wide, count, a_.d_k);
        copy_rows(wide, head_.Q + t * head_.row_k, head_.row_k, count, a_.d_k);
        multiply({keys,
                  wide_k_,
                  count,
                  {s_.slopes, 1, all_keys},
                  wide,
                  wide_k_,
                  {s_.dK, true},
                  wide_k_});
        copy_rows(wide, d_mix_ + t * head_.row_v, head_.row_v, count, a_.d_v);
        multiply({keys,
                  wide_v_,
                  count,
                  {s_.weights, 1, all_keys},
                  wide,
                  wide_v_,
                  {s_.dV, true},
                  wide_v_});
    }

    void weights_of(Index t, Index count) {
        const Index first = head_.batch_head * a_.T + t;
        scores_of(s_.weights, head_, t, count, s_.K_turned);
        for (Index i = 0; i < count; ++i) {
            Real* w = s_.weights + i * head_.keys;
            const Index seen = head_.seen(t + i), row = first + i;
            exponentials(w, seen, head_.scale, a_.row_max[row], a_.row_scale[row]);
            clear(w, round_up(seen, kLanes), head_.keys);
        }
    }

    // A row for whoever watches; zero behind `seen`
    void give_row(Real* to, const Real* from, Index seen) const {
        for_lanes(seen, [&](Index s, auto part) { store(to + s, load(from + s), part); });
        for (Index s = seen; s < a_.S; ++s) to[s] = 0;
    }

    const Attention& a_;
    Head head_;
    HeadScratch s_;
    Index wide_k_, wide_v_, offset_k_, offset_v_;
    const Real* d_mix_;
};

inline void attention_backward(Sum dQ, Sum dK, Sum dV, Real* d_weights, Real* d_scores,
                               const Real* d_mix, const Attention& a, Workspace& workspace) {
    const Index size = HeadScratch::size(a);
    for (int thread = 0; thread < thread_count(); ++thread) workspace.local(thread, size);
    parallel_for(a.B * a.H, 3 * head_cost(a), [&](Index index) {
        HeadBackward(a, index, workspace.local(thread_number(), size), d_mix)
            .run(dQ, dK, dV, d_weights, d_scores);
    });
}

}  // namespace
}  // namespace zhuyi::ZHUYI_INSTRUCTION_SET
