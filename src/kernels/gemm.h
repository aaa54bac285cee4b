// Matrix products: C (+)= A · B (+ bias), three quarters and more of a training step.
//
// The plan is that of Goto and Van de Geijn (Anatomy of High-Performance Matrix Multiplication, 2008). A is packed
// once, by all threads together, into panels of kTileRows rows. Then each task takes a block of C (up to 512 rows, 64
// columns), packs the strips of B it needs, 384 k at a time, into memory of its own, and runs the tile of tile.h over
// all panels. In the first-level cache: a panel's 384 k; in the second: the strips of B.
//
// One strided description of a matrix serves Y = X W, dX = dY Wᵀ and dW += Xᵀ dY.
#pragma once
#include "base/parallel.h"
#include "kernels/loops.h"
#include "kernels/pack.h"

namespace zhuyi::ZHUYI_INSTRUCTION_SET {
namespace {

constexpr Index kStrip = kTileVectors * kLanes;  // columns of one strip of B
constexpr Index kBlockColumns = 64;
constexpr Index kBlockRows = 512;
constexpr Index kBlockDepth = 384;  // packed k a tile runs over before the next strip's turn
constexpr Index kMostPacked = Index(1) << 20;  // numbers of A packed at once

// [0, count) cut into equal parts (give or take one), none larger than `most`.
struct Split {
    Index count, parts;
    Split(Index all, Index most) : count(all), parts((all + most - 1) / most) {}
    Index begin(Index part) const { return count * part / parts; }
    Index size(Index part) const { return begin(part + 1) - begin(part); }
};

// One product with K small enough for A to be packed at once.
template <class Pack>
class PackedProduct {
  public:
    PackedProduct(const Gemm& g, Workspace& workspace)
        : g_(g),
          slots_((g.K + Pack::kDepth - 1) / Pack::kDepth),
          panels_(g.M, kTileRows),
          blocks_(panels_.parts, most_panels(panels_.parts, g.N)),
          columns_(g.N <= kStrip || blocks_.parts * (g.N / kBlockColumns) >= thread_count()
                       ? kBlockColumns
                       : kStrip),
          packed_(workspace.shared(panels_.parts * slots_ * kPanelRows)),
          workspace_(workspace) {
        for (int thread = 0; thread < thread_count();
             ++thread)  // allocate where throwing is allowed
            workspace.local(thread, kBlockDepth * kBlockColumns);
    }

    void run() {
        parallel_for(panels_.parts, 0.3 * double(g_.K * kTileRows), [this](Index panel) {
            const Index first = panels_.begin(panel);
            pack_strip<Pack, kPanelRows>(packed_ + panel * slots_ * kPanelRows, kPanelRows,
                                         g_.A.data + first * g_.A.row, g_.A.row, g_.A.column,
                                         panels_.size(panel), g_.K);
        });
        const Index tasks = blocks_.parts * ((g_.N + columns_ - 1) / columns_);
        parallel_for(tasks, double(g_.M * g_.N) / double(tasks) * double(g_.K) / 16,
                     [this](Index task) { block(task % blocks_.parts, task / blocks_.parts); });
    }

  private:
    // Blocks low enough that every thread finds a few tasks.
    static Index most_panels(Index panels, Index N) {
        Index most = kBlockRows / kTileRows;
        const Index wide = (N + kBlockColumns - 1) / kBlockColumns;
        while (most > 2 && ((panels + most - 1) / most) * wide < 2 * thread_count())
            most = (most + 1) / 2;
        return most;
    }

    void block(Index rows, Index columns) {
        const Index n = columns * columns_, width = smaller_of(columns_, g_.N - n);
        Real* strips = workspace_.local(thread_number(), kBlockDepth * kBlockColumns);
        for (Index slot = 0; slot == 0 || slot < slots_; slot += kBlockDepth) {
            const Index depth = smaller_of(kBlockDepth, slots_ - slot);
            for (Index j = 0; j < width; j += kStrip) {
                const Index w = smaller_of(kStrip, width - j);
                if (kTileVectors == 2 && w > kLanes)
                    strip<kTileVectors>(rows, slot, depth, n + j, w, strips);
                else
                    strip<1>(rows, slot, depth, n + j, w, strips);
            }
        }
    }

    // Columns [n, n + width) of C in a block of rows, `depth` packed k
    template <int Vectors>
    void strip(Index block, Index slot, Index depth, Index n, Index width, Real* strip) {
        const Index k = slot * Pack::kDepth, K = smaller_of(g_.K - k, depth * Pack::kDepth);
        const Real* from = g_.B.data + k * g_.B.row + n * g_.B.column;
        for (Index j = 0; j < Vectors * kLanes; j += kLanes)
            pack_strip<Pack, kLanes>(strip + j, Vectors * kLanes, from + j * g_.B.column,
                                     g_.B.column, g_.B.row, smaller_of(kLanes, width - j), K);
        const Index end = blocks_.begin(block) + blocks_.size(block);
        for (Index panel = blocks_.begin(block); panel < end; ++panel) {
            const Index m = panels_.begin(panel);
            Real* c = g_.C.data + m * g_.stride + n;
            const Start start = slot > 0 || g_.C.add ? Start{c, g_.stride}
                                : g_.bias            ? Start{g_.bias + n, 0}
                                                     : Start{nullptr, 0};
            Tiles<Pack, PackedRows, Vectors>::of(panels_.size(panel))(
                depth, {packed_ + (panel * slots_ + slot) * kPanelRows}, strip, Vectors * kLanes,
                start, c, g_.stride, width, Store::cached, {});
        }
    }

    const Gemm& g_;
    Index slots_;
    Split panels_, blocks_;  // rows of C in panels, panels in blocks
    Index columns_;          // of a task
    Real* packed_;
    Workspace& workspace_;
};

// Where K is very large (the head's dX: the whole vocabulary) A is packed in pieces; C carries the chains from one
// to the next.
template <class Pack>
inline void product(const Gemm& g, Workspace& workspace) {
    const Index most = round_up(kMostPacked / g.M + 1, kBlockDepth * Pack::kDepth);
    Index k = 0;
    do {
        Gemm piece = g;
        piece.K = smaller_of(most, g.K - k);
        piece.A.data += k * g.A.column;
        piece.B.data += k * g.B.row;
        if (k > 0) piece.C.add = true, piece.bias = nullptr;
        PackedProduct<Pack>(piece, workspace).run();
        k += most;
    } while (k < g.K);
}

inline void gemm(const Gemm& g, Workspace& workspace) {
    if (g.M <= 0 || g.N <= 0 || !g.C) return;
    if (g.precision == Precision::bf16)
        product<PackRounded>(g, workspace);
    else
        product<PackExact>(g, workspace);
}

}  // namespace
}  // namespace zhuyi::ZHUYI_INSTRUCTION_SET
