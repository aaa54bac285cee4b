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
#include "kernels/bf16.h"
#include "kernels/few_rows.h"
#include "kernels/loops.h"
#include "kernels/pack.h"

namespace zhuyi::ZHUYI_INSTRUCTION_SET {
namespace {

constexpr Index kStrip = kTileVectors * kLanes;  // columns of one strip of B
constexpr Index kBlockColumns = 64;
constexpr Index kBlockRows = 512;
constexpr Index kBlockDepth = 384;  // packed k a tile runs over before the next strip's turn
constexpr Index kMostPacked = Index(1) << 20;  // numbers of A packed at once

constexpr Index kLarge =
    200000;  // numbers that the second-level cache will not hold beside everything else

// [0, count) cut into equal parts (give or take one), none larger than `most`.
struct Split {
    Index count, parts;
    Split(Index all, Index most) : count(all), parts((all + most - 1) / most) {}
    Index begin(Index part) const { return count * part / parts; }
    Index size(Index part) const { return begin(part + 1) - begin(part); }
};

// Two things are for matrices larger than the caches only. While a tile runs it fetches the next piece of B, one line
// with every k, ahead of the packing (8 % of a whole step on weights that come from memory). And the gradient of a
// weight matrix, which nobody reads before the optimizer, is written past the caches, so that its old lines need not
// be fetched first.
//
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
          fetch_ahead_(g.K * g.N > kLarge),
          streamed_(g.A.row == 1 && g.M * g.N > kLarge && !g.C.add && slots_ <= kBlockDepth &&
                    aligned(g)),
          packed_(workspace.shared(panels_.parts * slots_ * kPanelRows)),
          workspace_(workspace) {
        for (int thread = 0; thread < thread_count();
             ++thread)  // allocate where throwing is allowed
            workspace.local(thread, kBlockDepth * kStrip);
    }

    void run() {
        parallel_for(panels_.parts, 0.3 * double(g_.K * kTileRows), [this](Index panel) {
            const Index first = panels_.begin(panel);
            pack_strip<Pack, kPanelRows>(packed_ + panel * slots_ * kPanelRows, kPanelRows,
                                         g_.A.data + first * g_.A.row, g_.A.row, g_.A.column,
                                         panels_.size(panel), g_.K);
        });
        const Index tasks = blocks_.parts * ((g_.N + columns_ - 1) / columns_);
        parallel_ahead(tasks, double(g_.M * g_.N) / double(tasks) * double(g_.K) / 16,
                       [this, tasks](Index task, Index next) {
                           block(task % blocks_.parts, task / blocks_.parts,
                                 next < tasks ? next / blocks_.parts : -1);
                       });
    }

  private:
    static bool aligned(const Gemm& g) {
        return reinterpret_cast<std::uintptr_t>(g.C.data) % 64 == 0 &&
               std::size_t(g.stride) * sizeof(Real) % 64 == 0;
    }

    // Blocks low enough that every thread finds a few tasks.
    static Index most_panels(Index panels, Index N) {
        Index most = kBlockRows / kTileRows;
        const Index wide = (N + kBlockColumns - 1) / kBlockColumns;
        while (most > 2 && ((panels + most - 1) / most) * wide < 2 * thread_count())
            most = (most + 1) / 2;
        return most;
    }

    // A piece of B that is packed at once: `depth` packed k from `slot`, `width` columns from n.
    struct Piece {
        Index slot, depth, n, width;
    };

    // The pieces of a block of columns: strip by strip, and then on to the next k.
    Piece piece(Index columns, Index number) const {
        const Index n = columns * columns_, width = smaller_of(columns_, g_.N - n);
        const Index strips = (width + kStrip - 1) / kStrip;
        const Index slot = number / strips * kBlockDepth, j = number % strips * kStrip;
        return {slot, smaller_of(kBlockDepth, slots_ - slot), n + j, smaller_of(kStrip, width - j)};
    }
    Index pieces(Index columns) const {
        const Index width = smaller_of(columns_, g_.N - columns * columns_);
        const Index depths = slots_ > kBlockDepth ? (slots_ + kBlockDepth - 1) / kBlockDepth : 1;
        return depths * ((width + kStrip - 1) / kStrip);
    }

    void block(Index rows, Index columns, Index next_columns) {
        const Index count = pieces(columns);
        for (Index number = 0; number < count; ++number) {
            const Piece here = piece(columns, number);
            const Piece next = number + 1 < count  ? piece(columns, number + 1)
                               : next_columns >= 0 ? piece(next_columns, 0)
                                                   : Piece{0, 0, 0, 0};
            if (kTileVectors == 2 && here.width > kLanes)
                multiply<kTileVectors>(rows, here, next);
            else
                multiply<1>(rows, here, next);
        }
        if (streamed_) stream_fence();
    }

    // One piece of B with all panels of a block of rows
    template <int Vectors>
    void multiply(Index block, const Piece& b, const Piece& next) {
        const Index k = b.slot * Pack::kDepth, K = smaller_of(g_.K - k, b.depth * Pack::kDepth);
        Real* strip = workspace_.local(thread_number(), kBlockDepth * kStrip);
        pack_strip<Pack, kLanes, Vectors>(strip, Vectors * kLanes,
                                          g_.B.data + k * g_.B.row + b.n * g_.B.column, g_.B.column,
                                          g_.B.row, b.width, K);
        const Store how =
            streamed_ && b.width == Vectors * kLanes ? Store::streamed : Store::cached;
        const Index first = blocks_.begin(block), end = first + blocks_.size(block);
        for (Index panel = first; panel < end; ++panel) {
            const Index m = panels_.begin(panel);
            Real* c = g_.C.data + m * g_.stride + b.n;
            const Start start = b.slot > 0 || g_.C.add ? Start{c, g_.stride}
                                : g_.bias              ? Start{g_.bias + b.n, 0}
                                                       : Start{nullptr, 0};
            Tiles<Pack, PackedRows, Vectors>::of(panels_.size(panel))(
                b.depth, {packed_ + (panel * slots_ + b.slot) * kPanelRows}, strip,
                Vectors * kLanes, start, c, g_.stride, b.width, how,
                ahead(next, b.depth, panel - first));
        }
    }

    // What tile number `call` of a piece, `count` packed k deep, fetches of the next piece of B: one line with every k.
    Ahead ahead(const Piece& next, Index count, Index call) const {
        constexpr Index kLine = 64 / sizeof(Real);
        if (!fetch_ahead_ || next.width == 0) return {};
        const Index k = next.slot * Pack::kDepth,
                    K = smaller_of(g_.K - k, next.depth * Pack::kDepth);
        const Real* from = g_.B.data + k * g_.B.row + next.n * g_.B.column;
        const auto bytes = [](Index numbers) { return numbers * Index(sizeof(Real)); };
        if (g_.B.column ==
            1) {  // rows of a few lines; a call fetches one line of each of `count` rows
            const Index lines = (next.width + kLine - 1) / kLine, row = call / lines * count;
            if (row + count > K) return {};
            return {reinterpret_cast<const char*>(from + row * g_.B.row + call % lines * kLine),
                    bytes(g_.B.row), count, 0};
        }
        // columns of many lines; a call fetches as many whole columns as it has k
        const Index lines = (K + kLine - 1) / kLine, columns = count / lines;
        if (columns == 0 || call * columns >= next.width) return {};
        return {reinterpret_cast<const char*>(from + call * columns * g_.B.column), bytes(kLine),
                lines, bytes(g_.B.column - lines * kLine)};
    }

    const Gemm& g_;
    Index slots_;
    Split panels_, blocks_;  // rows of C in panels, panels in blocks
    Index columns_;          // of a task
    bool fetch_ahead_, streamed_;
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

#if defined(__AVX512BF16__)
using PackBf16 = PackPairs;
#else
using PackBf16 = PackRounded;
#endif

inline void gemm(const Gemm& g, Workspace& workspace) {
    if (g.M <= 0 || g.N <= 0 || !g.C) return;
    const bool few = g.M <= kFewRows && (g.B.row == 1 || g.B.column == 1);
    if (g.precision == Precision::bf16)
        few ? few_rows<PackRounded>(g, workspace) : product<PackBf16>(g, workspace);
    else
        few ? few_rows<PackExact>(g, workspace) : product<PackExact>(g, workspace);
}

}  // namespace
}  // namespace zhuyi::ZHUYI_INSTRUCTION_SET
