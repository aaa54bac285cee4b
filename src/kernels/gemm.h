// Matrix products: C (+)= A · B (+ bias), three quarters and more of a training step.
//
// The plan is that of Goto and Van de Geijn (Anatomy of High-Performance Matrix Multiplication,
// 2008): both operands are cut into strips, A into panels of up to kTileRows rows and B into strips
// of kStrip columns, and packed as the tile of tile.h walks through them. The smaller operand is
// packed once, by all threads together, and shared. The other one, which may be large, is packed
// piece by piece: each task packs what it needs, up to 512 k at a time, into memory of its own that
// stays in the second-level cache. What stands near enough in memory is read there, unpacked.
//
//     A is smaller (a small batch, large weights):  a task owns columns of C and walks all panels
//     B is smaller (a small model, a large batch):  a task owns rows of C and walks all strips
//
// One strided description of a matrix serves Y = X W, dX = dY Wᵀ and dW += Xᵀ dY. Several products
// may run as one: products of one A (Q, K and V of an x) are together one wider product; products
// that add to one C (the gradient of that x) are one product with a longer K.
#pragma once
#include "base/parallel.h"
#include "kernels/ahead.h"
#include "kernels/finish.h"
#include "kernels/loops.h"
#include "kernels/pack.h"
#include "kernels/walk.h"

namespace zhuyi::ZHUYI_INSTRUCTION_SET {
namespace {

constexpr Index kLarge = 200000;  // numbers: more than the second-level cache holds

template <class Pack>
class JointProducts : Walk {
  public:
    JointProducts(const Gemm* products, Index count, bool one_C, Workspace& workspace)
        : Walk(products, count, one_C, Pack::kPerSlot),
          whole_(products[0]),
          panels_(products[0].M, kTileRows),
          strips_(strips()),
          slots_(slots()),
          workspace_(workspace) {
        Index numbers_B = 0, K = 0;
        for (Index p = 0; p < count; ++p) {
            const Gemm& g = products[p];
            if (p == 0 || one_C) K += g.K;
            numbers_B += g.K * g.N;
            columns_stand_ = columns_stand_ && columns_as_they_stand(g);
            strips_stand_ =
                strips_stand_ && way_of<Pack>(g, kStrip) == Way::stands && g.N % kStrip == 0;
        }
        share_B_ = numbers_B < products[0].M * K;
        work_ = double(products[0].M) * double(numbers_B) / 16;
        choose_task_size();
    }

    void run() {
        const Index each = pieces();
        if (share_B_) {
            shared_ = workspace_.shared(strips_ * slots_ * kStrip);
            reserve(task_ * kDepth * kPanelRows);
            if (!strips_stand_)
                parallel_for(strips_ * each, packing_cost(strips_ * each),
                             [=, this](Index i) { share_strip(i / each, piece(i % each)); });
            parallel_ahead(tasks_.parts, work_ / double(tasks_.parts),
                           [this](Index task, Index next) { rows(task, next); });
        } else {
            shared_ = workspace_.shared(panels_.parts * slots_ * kPanelRows);
            reserve(task_ * kDepth * kStrip);
            if (!columns_stand_)
                parallel_for(panels_.parts * each, packing_cost(panels_.parts * each),
                             [=, this](Index i) { share_panel(i / each, piece(i % each)); });
            const Index blocks = blocks_.parts, tasks = blocks * tasks_.parts;
            parallel_ahead(tasks, work_ / double(tasks), [=, this](Index task, Index next) {
                columns(task % blocks, task / blocks, next / blocks);
            });
        }
    }

  private:
    // ---- packing
    void share_panel(Index panel, const Piece& k) {
        const Gemm& g = at(strip(0), k);
        pack_panel(shared_ + (panel * slots_ + k.place) * kPanelRows, g, panel, k_of(k),
                   K_of(g, k));
    }
    void share_strip(Index number, const Piece& k) {
        const Columns n = strip(number);
        const Gemm& g = at(n, k);
        pack_columns(shared_ + number * slots_ * kStrip + k.place * strip_step(n), g, n, k_of(k),
                     K_of(g, k));
    }
    // Exact numbers of A need not be packed. A row that runs along k: a tile reads one number of
    // each of its rows, and a line of memory serves for sixteen k (saves 2 to 7 % of a product).
    // Not where rows are so far apart that they may all fall into one place of the cache.
    static bool rows_as_they_stand(const Gemm& g) {
        return std::is_same_v<Pack, PackExact> && g.A.column == 1 && g.A.row <= 2 * kNear;
    }
    // A transpose: its numbers of one k are neighbours. Where neighbouring k are far apart, packing
    // is worth its time: many lines of the cache would fall into few places.
    static bool columns_as_they_stand(const Gemm& g) {
        return std::is_same_v<Pack, PackExact> && g.A.row == 1 && g.A.column <= kNear;
    }
    void pack_panel(Real* to, const Gemm& g, Index panel, Index k, Index K) const {
        pack_strip<typename Pack::Left, kPanelRows>(
            to, kPanelRows, g.A.data + panels_.begin(panel) * g.A.row + k * g.A.column, g.A.row,
            g.A.column, panels_.size(panel), K);
    }
    // The panels of one task. Where neighbouring k are far apart, all go together, a few k at a
    // time: panels share lines of memory, which would be gone from the nearest cache otherwise.
    void pack_panels(Real* to, const Gemm& g, Index first, Index panels, const Piece& k) const {
        const Index K = K_of(g, k), few = g.A.column > kNear ? kLanes * Pack::kPerSlot : K;
        for (Index done = 0; done < K; done += few, to += kLanes * kPanelRows)
            for (Index p = 0; p < panels; ++p)
                pack_panel(to + p * kDepth * kPanelRows, g, first + p, k_of(k) + done,
                           smaller_of(few, K - done));
    }
    void pack_columns(Real* to, const Gemm& g, const Columns& n, Index k, Index K) const {
        const Real* from = g.B.data + k * g.B.row + n.n * g.B.column;
        if (n.width > kLanes)
            pack_strip<Pack, kLanes, kTileVectors>(to, kStrip, from, g.B.column, g.B.row, n.width,
                                                   K);
        else
            pack_strip<Pack, kLanes, 1>(to, kLanes, from, g.B.column, g.B.row, n.width, K);
    }

    // ---- the two kinds of task
    // The panels of one task: A is packed here, B is shared.
    void rows(Index task, Index next) {
        const Index first = tasks_.begin(task), panels = tasks_.size(task);
        Real* packed = workspace_.local(thread_number(), task_ * kDepth * kPanelRows);
        for (Index number = 0; number < pieces(); ++number) {
            const Piece k = piece(number);
            Fetcher fetched = next_rows(number, task, next);
            for (Index s = 0; s < strips_; ++s) {
                const Columns n = strip(s);
                const Gemm& g = at(n, k);
                const Strip b = strips_stand_
                                    ? strip_in_memory(n, k)
                                    : Strip{shared_ + s * slots_ * kStrip + k.place * strip_step(n),
                                            strip_step(n)};
                if (s == 0 && !rows_as_they_stand(g)) pack_panels(packed, g, first, panels, k);
                for (Index p = 0; p < panels; ++p)
                    if (rows_as_they_stand(g))
                        multiply(first + p, n, k,
                                 RowsOf{g.A.data, g.A.row}.from(panels_.begin(first + p), k_of(k)),
                                 b, fetched.next());
                    else
                        multiply(first + p, n, k,
                                 ColumnsOf{packed + p * kDepth * kPanelRows, kPanelRows}, b,
                                 fetched.next());
            }
        }
        const Index m = panels_.begin(first);
        finish(m, panels_.begin(first + panels) - m, 0, whole_.N);
    }
    // A task finishes what it has completed row by row: tile by tile, memory would be written so
    // slowly that the slope alone costs five times as much. (Joint products have no finish.)
    void finish(Index m, Index rows, Index n, Index width) {
        if (whole_.finish != Finish::none) finish_rows(whole_, m, rows, n, width);
        if (streamed(whole_)) stream_fence();
    }
    // Where A is read next: at the next piece, or by the next task.
    Fetcher next_rows(Index number, Index task, Index next) const {
        const bool here = number + 1 < pieces();
        if (!here && next >= tasks_.parts) return {};
        const Index from = here ? task : next;
        const Piece k = piece(here ? number + 1 : 0);
        const Gemm& g = at(strip(0), k);
        const Index m = panels_.begin(tasks_.begin(from)), end = tasks_.begin(from + 1);
        return {region(g.A, m, panels_.begin(end) - m, k_of(k), K_of(g, k)), piece(number).count,
                strips_ * tasks_.size(task)};
    }

    // The strips of one task, for one block of panels: B is packed here, A is shared.
    void columns(Index block, Index task, Index next) {
        const Index first = tasks_.begin(task), end = tasks_.begin(task + 1);
        const Index begin = blocks_.begin(block), stop = begin + blocks_.size(block);
        Real* packed = workspace_.local(thread_number(), task_ * kDepth * kStrip);
        for (Index number = 0; number < pieces(); ++number) {
            const Piece k = piece(number);
            for (Index s = first; s < end; ++s) {
                const Columns n = strip(s);
                const Gemm& g = at(n, k);
                if (way_of<Pack>(g, n.width) == Way::packed)
                    pack_columns(packed + (s - first) * kDepth * kStrip, g, n, k_of(k), K_of(g, k));
            }
            Fetcher fetched = next_columns(number, task, next);
            for (Index s = first; s < end; ++s) {
                const Columns n = strip(s);
                const Way way = way_of<Pack>(at(n, k), n.width);
                Real* here = packed + (s - first) * kDepth * kStrip;
                const Strip b =
                    way == Way::stands ? strip_in_memory(n, k) : Strip{here, strip_step(n)};
                Index panel = begin;
                if (way == Way::copied)
                    multiply(panel++, n, k, columns_of(begin, n, k), strip_in_memory(n, k),
                             fetched.next(), here);
                for (; panel < stop; ++panel)
                    multiply(panel, n, k, columns_of(panel, n, k), b, fetched.next());
            }
        }
        const Index m = panels_.begin(begin), n = first * kStrip;
        finish(m, panels_.begin(stop) - m, n, smaller_of((end - first) * kStrip, whole_.N - n));
    }
    ColumnsOf columns_of(Index panel, const Columns& n, const Piece& k) const {
        const Gemm& g = at(n, k);
        if (columns_stand_)
            return ColumnsOf{g.A.data, g.A.column}.from(panels_.begin(panel), k_of(k));
        return {shared_ + (panel * slots_ + k.place) * kPanelRows, kPanelRows};
    }
    Strip strip_in_memory(const Columns& n, const Piece& k) const {
        const Matrix& B = at(n, k).B;
        return {B.data + k_of(k) * B.row + n.n, B.row};
    }
    // Where B is read next: at the next piece, or by the next task; of several products the first
    // strip's.
    Fetcher next_columns(Index number, Index task, Index next) const {
        const bool here = number + 1 < pieces();
        if (!here && next >= tasks_.parts) return {};
        const Index from = here ? task : next;
        const Piece k = piece(here ? number + 1 : 0);
        const Columns n = strip(tasks_.begin(from));
        const Gemm& g = at(n, k);
        const Index width = smaller_of(tasks_.size(from) * kStrip, g.N - n.n);
        return {region(g.B, k_of(k), K_of(g, k), n.n, width), piece(number).count,
                tasks_.size(task) * blocks_.size(0)};
    }

    // ---- one tile
    static Index strip_step(const Columns& n) { return n.width > kLanes ? kStrip : kLanes; }
    template <class Rows>
    void multiply(Index panel, const Columns& n, const Piece& k, Rows a, const Strip& b,
                  const Ahead& fetched, Real* copy = nullptr) const {
        const Gemm& g = result(n);
        const Index rows = panels_.size(panel);
        Real* c = g.C.data + panels_.begin(panel) * g.stride + n.n;
        const Start start = !k.first || g.C.add ? Start{c, g.stride}
                            : g.bias            ? Start{g.bias + n.n, 0}
                                                : Start{nullptr, 0};
        const Store how = streamed(g) && n.width == strip_step(n) ? Store::streamed : Store::cached;
        using Operands = typename Pack::Operands;
        const auto run = copy               ? copying<Rows>(rows)
                         : n.width > kLanes ? Tiles<Operands, Rows, kTileVectors>::of(rows)
                                            : Tiles<Operands, Rows, 1>::of(rows);
        run(k.count, a, b, copy, start, c, g.stride, n.width, how, fetched);
    }
    template <class Rows>
    static auto copying(Index rows) {
        constexpr bool copies = std::is_same_v<Pack, PackExact> && std::is_same_v<Rows, ColumnsOf>;
        return Tiles<typename Pack::Operands, Rows, kTileVectors, copies>::of(rows);
    }

    // The gradient of a weight matrix (A is Xᵀ) is not read before the optimizer. A large one is
    // written past the caches, so that its old lines need not be fetched first.
    bool streamed(const Gemm& g) const {
        return g.A.row == 1 && g.M * g.N > kLarge && !g.C.add && slots_ <= kDepth &&
               reinterpret_cast<std::uintptr_t>(g.C.data) % 64 == 0 &&
               std::size_t(g.stride) * sizeof(Real) % 64 == 0;
    }

    // ---- sizes
    // A task is large enough to use several times what it packs, and every thread gets the same
    // number of tasks, several of them. B is packed, or copied, by every block of panels: so a
    // product is cut into strips first, and into blocks where there are too few strips.
    void choose_task_size() {
        const Index wanted = 4 * thread_count();
        if (share_B_) {
            task_ = larger_of(4, 36 / kTileRows);  // AVX2: 6 rather than 4, 0.5 % of a product
            while (task_ > 1 && panels_.parts / task_ < wanted) --task_;
        } else {
            task_ = smaller_of(64 / kStrip, larger_of(1, strips_ / wanted));
            const Index wide = (strips_ + task_ - 1) / task_;
            Index most = 512 / kTileRows;
            while (most > 1 && (panels_.parts + most - 1) / most * wide < wanted)
                most = (most + 1) / 2;
            blocks_ = Split(panels_.parts, most);
        }
        tasks_ = Split(share_B_ ? panels_.parts : strips_, task_, thread_count());
    }
    double packing_cost(Index tasks) const {
        const double numbers = share_B_ ? double(strips_ * kStrip) : double(whole_.M);
        return 0.1 * numbers * double(slots_ * Pack::kPerSlot) / double(tasks);
    }
    void reserve(Index numbers) {  // here, where running out of memory may be said
        for (int thread = 0; thread < thread_count(); ++thread) workspace_.local(thread, numbers);
    }

    const Gemm& whole_;  // the only product, or the first: all have its M, those of one C its C
    bool share_B_ = false, columns_stand_ = true, strips_stand_ = true;
    Split panels_;        // rows of C in panels
    Split blocks_{1, 1};  // panels in blocks, where B is packed by the task
    Split tasks_{1, 1};   // panels, or strips, in tasks
    Index strips_, slots_;
    Index task_ = 1;  // the largest number of panels, or of strips, in one task
    double work_ = 0;
    Real* shared_ = nullptr;
    Workspace& workspace_;
};

}  // namespace
}  // namespace zhuyi::ZHUYI_INSTRUCTION_SET
