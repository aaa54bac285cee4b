// Products of one to four rows: a text being generated. Each number of B serves so few
// multiplications that packing it would cost more than it saves; the limit is how fast B comes out
// of memory. The chains are those of gemm.h.
#pragma once
#include "kernels/finish.h"
#include "kernels/loops.h"
#include "kernels/pack.h"
#include "kernels/strips.h"

namespace zhuyi::ZHUYI_INSTRUCTION_SET {
namespace {

constexpr Index kFewRows = 4;

template <class Pack, int Rows>
class FewRows {
  public:
    FewRows(const Gemm& g, Workspace& workspace) : g_(g), a_(workspace.shared(Rows * g.K)) {
        for (Index m = 0; m < Rows; ++m) {
            const Real* from = g.A.data + m * g.A.row;
            Real* to = a_ + m * g.K;
            if (g.A.column == 1)
                for_lanes(g.K, [&](Index k, auto part) {
                    store(to + k, Pack::across(from + k, 0, 1, part), part);
                });
            else
                for (Index k = 0; k < g.K; ++k)
                    store(to + k, Pack::across(from + k * g.A.column, 0, 1, First{1}), First{1});
        }
    }

    void run() {
        constexpr Index kTask = 256;
        parallel_for((g_.N + kTask - 1) / kTask, double(Rows * g_.K) * kTask / 16,
                     [this](Index task) {
                         const Index n = task * kTask, end = smaller_of(g_.N, n + kTask);
                         if (g_.B.row == 1)
                             columns(n, end);
                         else
                             rows(n, end);
                         if (g_.finish != Finish::none) finish_rows(g_, 0, Rows, n, end - n);
                     });
    }

  private:
    template <class Part>
    [[gnu::always_inline]] Lanes start(Index m, Index n, Part part) const {
        if (g_.C.add) return load(g_.C.data + m * g_.stride + n, part);
        return g_.bias ? load(g_.bias + n, part) : all(0);
    }

    // B's rows as they stand (Y = X W), sixteen at a time: the processor's prefetcher follows no
    // more streams than that. C holds the chains in between.
    void rows(Index n, Index end) const {
        for (Index m = 0; m < Rows; ++m)
            for_lanes(end - n, [&](Index j, auto part) {
                store(g_.C.data + m * g_.stride + n + j, start(m, n + j, part), part);
            });
        for (Index k = 0; k < g_.K; k += kLanes) {
            const Index depth = smaller_of(kLanes, g_.K - k);
            Index j = n;
            for (; j + 4 * kLanes <= end; j += 4 * kLanes) add_rows<4>(k, depth, j, All{});
            for_lanes(end - j, [&](Index i, auto part) { add_rows<1>(k, depth, j + i, part); });
        }
    }

    template <int Vectors, class Part>
    [[gnu::always_inline]] void add_rows(Index k, Index depth, Index n, Part part) const {
        Lanes sum[std::size_t(Rows)][std::size_t(Vectors)];
        Real* c = g_.C.data + n;
#pragma GCC unroll 4
        for (int m = 0; m < Rows; ++m)
#pragma GCC unroll 4
            for (int v = 0; v < Vectors; ++v)
                sum[m][v] = load(c + m * g_.stride + v * kLanes, part);
        for (Index d = k; d < k + depth; ++d) {
            const Real* row = g_.B.data + d * g_.B.row + n * g_.B.column;
#pragma GCC unroll 4
            for (int v = 0; v < Vectors; ++v) {
                const Lanes b = Pack::across(row + v * kLanes, 0, 1, part);
#pragma GCC unroll 4
                for (int m = 0; m < Rows; ++m) sum[m][v] = fma(all(a_[m * g_.K + d]), b, sum[m][v]);
            }
        }
#pragma GCC unroll 4
        for (int m = 0; m < Rows; ++m)
#pragma GCC unroll 4
            for (int v = 0; v < Vectors; ++v)
                store(c + m * g_.stride + v * kLanes, sum[m][v], part);
    }

    // B's columns as they stand (the head, whose matrix is the embedding transposed): squares of
    // 16 x 16 are transposed in registers.
    void columns(Index n, Index end) const {
        for_lanes(end - n, [&](Index j, auto part) {
            const Real* b = g_.B.data + (n + j) * g_.B.column;
            Lanes sum[std::size_t(Rows)];
            for (Index m = 0; m < Rows; ++m) sum[m] = start(m, n + j, part);
            for (Index k = 0; k < g_.K; k += kLanes) {
                Lanes block[kLanes];
#pragma GCC unroll 16
                for (Index i = 0; i < kLanes; ++i)
                    block[i] =
                        i < part.count() ? Pack::along(b + i * g_.B.column + k, g_.K - k) : all(0);
                transpose<kLanes>(block);
                const Index depth = smaller_of(kLanes, g_.K - k);
                for (Index d = 0; d < depth; ++d)
#pragma GCC unroll 4
                    for (Index m = 0; m < Rows; ++m)
                        sum[m] = fma(all(a_[m * g_.K + k + d]), block[d], sum[m]);
            }
            for (Index m = 0; m < Rows; ++m) store(g_.C.data + m * g_.stride + n + j, sum[m], part);
        });
    }

    const Gemm& g_;
    Real* a_;  // A (Rows x K), rounded where the product is one of bf16
};

template <class Pack, int Rows>
inline void so_few_rows(const Gemm& g, Workspace& workspace) {
    const void* strips = g.A.column == 1 ? strips_of(g, workspace) : nullptr;
    if (strips)
        product_of_strips<Rows>(g, strips, workspace);
    else
        FewRows<Pack, Rows>(g, workspace).run();
}

template <class Pack>
inline void few_rows(const Gemm& g, Workspace& workspace) {
    if (g.M == 1) so_few_rows<Pack, 1>(g, workspace);
    if (g.M == 2) so_few_rows<Pack, 2>(g, workspace);
    if (g.M == 3) so_few_rows<Pack, 3>(g, workspace);
    if (g.M == 4) so_few_rows<Pack, 4>(g, workspace);
}

}  // namespace
}  // namespace zhuyi::ZHUYI_INSTRUCTION_SET
