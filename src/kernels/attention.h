// Scaled dot-product attention (Vaswani et al. 2017) of one head of one text at a time:
// softmax(Q Kᵀ / √d) V.
//
// A task owns a head. It copies what it needs of K and V side by side (a head's rows stand C
// numbers apart in memory, and strides like 512 or 1024 fall into the same few cache lines), then
// takes a stretch of queries at a time: first all their scores, then all their softmaxes (the rows
// are independent, so one fills the other's waiting), then their mix, eight queries at a time. A
// causal query t sees the keys 0 … S - T + t only; a product stops at the last key of its queries.
//
// The bits of a query's row do not depend on T: each score and each number of the mix is a chain
// over d or over the keys in order, and the softmax's sum runs over the keys in 16 lanes from key
// 0. So a text generated one position at a time gives the numbers of a forward pass over the whole
// of it. One subtlety: the eight share their last key, so a row may go through a few keys of weight
// zero. Adding 0 · v changes a sum only if that is -0; hence the + 0 at the end of each row of the
// mix, which makes +0 of it.
#pragma once
#include "base/parallel.h"
#include "kernels/elementary.h"
#include "kernels/small_product.h"

namespace zhuyi::ZHUYI_INSTRUCTION_SET {
namespace {

// Queries that share their last key. The same on every machine: it decides which sums get zeros
// added.
constexpr Index kQueries = 8;
// Queries whose scores are in memory at once, a few times kQueries: dK and dV are added up over so
// many, and what a tile costs before its first number is paid less often. This changes no bit.
constexpr Index kStretch = 8 * kQueries;

// One row for each of several heads: to (columns) = a (count) · B (count, columns), B's rows as
// they stand. From head to head each of the three moves on by its step.
struct HeadRows {
    Index count, columns;
    const Real *a, *B;
    Index B_row;
    Real* to;
    Index a_step, B_step, to_step;
};

// As many columns at once as there are registers for: a single chain would wait for itself.
template <int Heads, int Vectors>
[[gnu::always_inline]] inline void multiply_columns(const HeadRows& p, Index first, First last) {
    Lanes sum[std::size_t(Heads)][std::size_t(Vectors)];
    const auto each = [&](const auto& work) {
#pragma GCC unroll 4
        for (int h = 0; h < Heads; ++h) {
#pragma GCC unroll 4
            for (int v = 0; v < Vectors - 1; ++v) work(h, v, All{});
            work(h, Vectors - 1, last);
        }
    };
    each([&](int h, int v, auto) { sum[h][v] = all(0); });
    const Real *a = p.a, *B = p.B + first;
    for (Index k = 0; k < p.count; ++k, ++a, B += p.B_row)
        each([&](int h, int v, auto part) {
            sum[h][v] =
                fma(all(a[h * p.a_step]), load(B + h * p.B_step + v * kLanes, part), sum[h][v]);
        });
    each([&](int h, int v, auto part) {
        store(p.to + h * p.to_step + first + v * kLanes, sum[h][v], part);
    });
}

template <int Heads>
inline void multiply(const HeadRows& p) {
    constexpr int kSums = kTileRows * kTileVectors / Heads;
    constexpr int kVectors = kSums < 1 ? 1 : kSums < 4 ? kSums : 4;
    Index first = 0;
    for (; p.columns - first > (kVectors - 1) * kLanes; first += kVectors * kLanes)
        multiply_columns<Heads, kVectors>(
            p, first, {smaller_of(kLanes, p.columns - first - (kVectors - 1) * kLanes)});
    if constexpr (kVectors > 2)
        if (p.columns - first > kLanes) {
            multiply_columns<Heads, 2>(p, first, {smaller_of(kLanes, p.columns - first - kLanes)});
            first += 2 * kLanes;
        }
    if constexpr (kVectors > 1)
        if (p.columns > first)
            multiply_columns<Heads, 1>(p, first, {smaller_of(kLanes, p.columns - first)});
}

// One head of one text.
struct Head {
    const Attention& a;
    Index b, h, batch_head;
    Index row_k, row_v;  // from one position to the next
    const Real *Q, *K, *V;
    Index padded_keys;  // S rounded up to whole vectors
    Real inverse_root;  // 1 / √d_k

    Head(const Attention& attention, Index index)
        : a(attention),
          b(index / attention.H),
          h(index % attention.H),
          batch_head(index),
          row_k(a.H * a.d_k),
          row_v(a.H * a.d_v),
          Q(a.Q + b * a.T * row_k + h * a.d_k),
          K(a.room > 0 ? a.K + (b * row_k + h * a.d_k) * a.room
                       : a.K + b * a.S * row_k + h * a.d_k),
          V(a.V + b * (a.room > 0 ? a.room : a.S) * row_v + h * a.d_v),
          padded_keys(round_up(a.S, kLanes)),
          inverse_root(Real(1 / __builtin_sqrt(double(a.d_k)))) {}

    // How many keys query t sees.
    Index seen(Index t) const { return a.causal ? a.S - a.T + t + 1 : a.S; }
};

// A product of queries [t, t + count) with all keys, A · B: rows of head.padded_keys, each at least
// as far as its query sees. A's rows are `row` apart, B has `K` rows, `room` apart.
inline void for_keys(Real* to, const Head& head, Index t, Index count, const Real* A, Index row,
                     const Real* B, Index K, Index room) {
    const Index keys = head.padded_keys, most = rows_of_tile(count);
    for (Index i = 0; i < count; i += most) {
        const Index rows = smaller_of(most, count - i);
        multiply<RowsOf>({rows,
                          round_up(head.seen(t + i + rows - 1), kLanes),
                          K,
                          {A + (t + i) * row, row},
                          B,
                          room,
                          {to + i * keys},
                          keys});
    }
}

// Q Kᵀ, not yet divided by √d. The rows of K_transposed are `room` apart.
inline void scores_of(Real* scores, const Head& head, Index t, Index count,
                      const Real* K_transposed, Index room) {
    for_keys(scores, head, t, count, head.Q, head.row_k, K_transposed, head.a.d_k, room);
}

inline void clear(Real* row, Index from, Index end) {
    for (Index s = from; s < end; s += kLanes) store(row + s, all(0));
}

// exp(score · inverse_root - max) · scale in place, zero from `seen` to `end`
inline void exponentials(Real* row, Index seen, Index end, Real inverse_root, Real max,
                         Real scale) {
    for_lanes(seen, [&](Index s, auto part) {
        const Lanes e = exp(load(row + s) * all(inverse_root) - all(max)) * all(scale);
        store(row + s, choose(e, all(0), part));
    });
    clear(row, round_up(seen, kLanes), end);
}

inline Real largest_of(const Real* row, Index seen, Real inverse_root) {
    Lanes largest = all(-__builtin_inff());
    for_lanes(seen, [&](Index s, auto part) {
        largest = larger(largest, choose(load(row + s) * all(inverse_root), largest, part));
    });
    return maximum(largest);
}

inline Real sum_of(const Real* row, Index seen) {
    Lanes total = all(0);
    for_lanes(seen, [&](Index s, auto) { total = total + load(row + s); });
    return sum(total);
}

inline void copy_row(Real* to, const Real* from, Index count) {
    for_lanes(count, [&](Index s, auto part) { store(to + s, load(from + s), part); });
}

// The weights of queries [t, t + count), at most kStretch, from their scores, in place:
// softmax(score · inverse_root) = exp(score · inverse_root - max) · scale. What a query does not
// see becomes zero.
inline void weigh(Real* rows, const Head& head, Index t, Index count) {
    const Attention& a = head.a;
    const Index keys = head.padded_keys, first = head.batch_head * a.T + t;
    Real max[kStretch], scale[kStretch];
    for (Index i = 0; i < count; ++i)
        max[i] = largest_of(rows + i * keys, head.seen(t + i), head.inverse_root);
    for (Index i = 0; i < count; ++i)
        exponentials(rows + i * keys, head.seen(t + i), keys, head.inverse_root, max[i], 1);
    for (Index i = 0; i < count; ++i) scale[i] = 1 / sum_of(rows + i * keys, head.seen(t + i));
    for (Index i = 0; i < count; ++i) {
        Real* const row = rows + i * keys;
        for_lanes(head.seen(t + i),
                  [&](Index s, auto) { store(row + s, load(row + s) * all(scale[i])); });
        if (a.row_max) a.row_max[first + i] = max[i];
        if (a.row_scale) a.row_scale[first + i] = scale[i];
        if (a.weights) copy_row(a.weights + (first + i) * a.S, row, a.S);
    }
}

// The only query of a text that is written, `Heads` heads from `index` on: K (by
// columns, as a past keeps it) and V as they stand, for each number of them is used once.
constexpr int kHeadsAtOnce = 4;

template <int Heads = kHeadsAtOnce>
inline void attend_one(Real* mix, const Attention& a, Index index, Index heads, Real* weights) {
    if constexpr (Heads > 1)
        if (heads < Heads) return attend_one<Heads - 1>(mix, a, index, heads, weights);
    const Head head(a, index);
    const Index keys = head.padded_keys;
    multiply<Heads>({a.d_k, keys, head.Q, head.K, a.room, weights, a.d_k, a.d_k * a.room, keys});
    for (Index h = 0; h < Heads; ++h) weigh(weights + h * keys, Head(a, index + h), 0, 1);
    Real* to = mix + head.b * head.row_v + head.h * a.d_v;
    multiply<Heads>({a.S, a.d_v, weights, head.V, head.row_v, to, keys, a.d_v, a.d_v});
    for_lanes(Heads * a.d_v,
              [&](Index j, auto part) { store(to + j, load(to + j, part) + all(0), part); });
}

inline void attend(Real* mix, const Attention& a, Index index, Real* scratch) {
    const Head head(a, index);
    const Index wide_v = round_up(a.d_v, kLanes), keys = head.padded_keys;
    const Index room = a.room > 0 ? a.room : keys;
    Real* const K_transposed = scratch;
    Real* const V = K_transposed + a.d_k * keys;
    Real* const mixed = V + a.S * wide_v;
    Real* const weights = mixed + kQueries * wide_v;
    if (a.room == 0) transpose_rows(K_transposed, room, head.K, head.row_k, a.S, a.d_k);
    copy_rows(V, head.V, head.row_v, a.S, a.d_v);

    for (Index t = 0; t < a.T; t += kStretch) {
        const Index count = smaller_of(kStretch, a.T - t);
        scores_of(weights, head, t, count, a.room > 0 ? head.K : K_transposed, room);
        weigh(weights, head, t, count);
        for (Index i = 0; i < count; i += kQueries) {
            const Index rows = smaller_of(kQueries, count - i);
            multiply<RowsOf>({rows,
                              wide_v,
                              head.seen(t + i + rows - 1),
                              {weights + i * keys, keys},
                              V,
                              wide_v,
                              {mixed},
                              wide_v});
            for (Index r = 0; r < rows; ++r) {
                Real* to = mix + (head.b * a.T + t + i + r) * head.row_v + head.h * a.d_v;
                for_lanes(a.d_v, [&](Index j, auto part) {
                    store(to + j, load(mixed + r * wide_v + j) + all(0), part);
                });
            }
        }
    }
}

// About how many multiply-adds of 16 lanes a head costs
inline double head_cost(const Attention& a) {
    return double(a.T) * double(a.S) * double(a.d_k + a.d_v + 8) / 16;
}

inline void attention_forward(Real* mix, const Attention& a, Workspace& workspace) {
    const Index keys = round_up(a.S, kLanes), wide_v = round_up(a.d_v, kLanes);
    const Index size = a.d_k * keys + (a.S + kQueries) * wide_v + smaller_of(kStretch, a.T) * keys;
    for (int thread = 0; thread < thread_count(); ++thread) workspace.local(thread, size);
    if (a.T == 1 && a.room > 0) {
        const Index groups = (a.H + kHeadsAtOnce - 1) / kHeadsAtOnce;  // of one text
        return parallel_for(a.B * groups, kHeadsAtOnce * head_cost(a), [&](Index group) {
            const Index first = group % groups * kHeadsAtOnce;
            attend_one(mix, a, group / groups * a.H + first, smaller_of(kHeadsAtOnce, a.H - first),
                       workspace.local(thread_number(), size));
        });
    }
    parallel_for(a.B * a.H, head_cost(a), [&](Index index) {
        attend(mix, a, index, workspace.local(thread_number(), size));
    });
}

}  // namespace
}  // namespace zhuyi::ZHUYI_INSTRUCTION_SET
