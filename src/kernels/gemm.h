// Matrix products: C (+)= A · B (+ bias), three quarters and more of a training step.
//
// The plan is that of Goto and Van de Geijn (Anatomy of High-Performance Matrix Multiplication,
// 2008): both operands are cut into strips, A into panels of up to kTileRows rows and B into strips
// of kStrip columns, and packed as the tile of tile.h walks through them. The smaller operand is
// packed once, by all threads together, and shared. The other one, which may be large, is packed
// piece by piece: each task packs what it needs, 384 k at a time, into memory of its own that stays
// in the second-level cache. What stands near enough in memory is read there, unpacked.
//
//     A is smaller (a small batch, large weights):  a task owns columns of C and walks all panels
//     B is smaller (a small model, a large batch):  a task owns rows of C and walks all strips
//
// One strided description of a matrix serves Y = X W, dX = dY Wᵀ and dW += Xᵀ dY. Several products
// may run as one: those of one A (Q, K and V of an x) are wider together than alone; those that add
// to one C (the gradient of that x) are one product with a longer K.
#pragma once
#include "base/parallel.h"
#include "kernels/ahead.h"
#include "kernels/finish.h"
#include "kernels/loops.h"
#include "kernels/pack.h"

namespace zhuyi::ZHUYI_INSTRUCTION_SET {
namespace {

constexpr Index kStrip = kTileVectors * kLanes;  // columns of one strip of B
constexpr Index kDepth = 384;  // packed k of one piece: a panel of A in the first-level cache
constexpr Index kNear = 384;   // numbers from one k to the next: near enough to be read unpacked
constexpr Index kMostTogether = 4;             // products that run as one
constexpr Index kMostShared = Index(1) << 20;  // numbers packed at once for all
// So many numbers the second-level cache will not hold beside everything else.
constexpr Index kLarge = 200000;

// One product, or several that share A, or several that share C. M is the same for all.
template <class Pack>
class JointProducts {
  public:
    JointProducts(const Gemm* products, Index count, bool one_C, Workspace& workspace)
        : g_(products),
          count_(count),
          one_C_(one_C),
          panels_(products[0].M, kTileRows),
          workspace_(workspace) {
        Index numbers_B = 0, K = 0;
        for (Index p = 0; p < count; ++p) {
            if (p == 0 || one_C) K += g_[p].K;
            if (p == 0 || !one_C) strips_ += strips(p);
            numbers_B += g_[p].K * g_[p].N;
            slots_ += p == 0 || one_C ? slots(p) : 0;
            columns_stand_ = columns_stand_ && columns_as_they_stand(g_[p]);
            strips_stand_ = strips_stand_ && strips_as_they_stand(g_[p]);
        }
        share_B_ = numbers_B < g_[0].M * K;
        work_ = double(g_[0].M) * double(numbers_B) / 16;
        choose_task_size();
    }

    void run() {
        if (share_B_) {
            shared_ = workspace_.shared(strips_ * slots_ * kStrip);
            reserve(task_ * kDepth * kPanelRows);
            const Index each = one_C_ ? count_ : 1;
            if (!strips_stand_)
                parallel_for(strips_ * each, packing_cost(strips_ * each),
                             [=, this](Index i) { share_strip(i / each, i % each); });
            parallel_ahead(tasks_.parts, work_ / double(tasks_.parts),
                           [this](Index task, Index next) { rows(task, next); });
        } else {
            shared_ = workspace_.shared(panels_.parts * slots_ * kPanelRows);
            reserve(task_ * kDepth * kStrip);
            const Index each = one_C_ ? count_ : 1;
            if (!columns_stand_)
                parallel_for(panels_.parts * each, packing_cost(panels_.parts * each),
                             [=, this](Index i) { share_panel(i / each, i % each); });
            const Index blocks = blocks_.parts, tasks = blocks * tasks_.parts;
            parallel_ahead(tasks, work_ / double(tasks), [=, this](Index task, Index next) {
                columns(task % blocks, task / blocks, next / blocks);
            });
        }
    }

  private:
    // ---- the walk along k and along the columns of C
    struct Depth {
        Index product, slot, count;  // packed k [slot, slot + count) of this product …
        Index place;                 // … and where they stand in the shared packing
        bool first, last;            // of the chain of an element of C
    };
    struct Columns {
        Index product, n, width;
    };
    struct Strip {  // of B: where its rows stand, and how far apart
        const Real* at;
        Index step;
    };

    static Index slots(const Gemm& g) { return (g.K + Pack::kPerSlot - 1) / Pack::kPerSlot; }
    Index slots(Index p) const { return slots(g_[p]); }
    Index strips(Index p) const { return (g_[p].N + kStrip - 1) / kStrip; }
    Index depths(Index p) const { return slots(p) > 0 ? (slots(p) + kDepth - 1) / kDepth : 1; }

    Index depths() const {
        Index all = 0;
        for (Index p = 0; p < (one_C_ ? count_ : 1); ++p) all += depths(p);
        return all;
    }
    Depth depth(Index number) const {
        Index p = 0, place = 0, left = number;
        for (; left >= depths(p); ++p) left -= depths(p), place += slots(p);
        const Index slot = left * kDepth;
        return {p,
                slot,
                smaller_of(kDepth, slots(p) - slot),
                place + slot,
                number == 0,
                number + 1 == depths()};
    }
    Columns strip(Index number) const {
        Index p = 0;
        for (; number >= strips(p); ++p) number -= strips(p);
        return {p, number * kStrip, smaller_of(kStrip, g_[p].N - number * kStrip)};
    }
    // The product whose A and B meet in a strip at a depth
    const Gemm& at(const Columns& n, const Depth& k) const {
        return g_[one_C_ ? k.product : n.product];
    }
    static Index k_of(const Depth& d) { return d.slot * Pack::kPerSlot; }
    static Index K_of(const Gemm& g, const Depth& d) {
        return smaller_of(g.K - k_of(d), d.count * Pack::kPerSlot);
    }

    // ---- packing
    void share_panel(Index panel, Index product) {
        Index place = 0;
        for (Index p = 0; p < product; ++p) place += slots(p);
        pack_panel(shared_ + (panel * slots_ + place) * kPanelRows, g_[product], panel, 0,
                   g_[product].K);
    }
    void share_strip(Index number, Index product) {
        Index place = 0;
        for (Index p = 0; p < product; ++p) place += slots(p);
        const Columns n = strip(number);
        const Gemm& g = g_[one_C_ ? product : n.product];
        pack_columns(shared_ + number * slots_ * kStrip + place * strip_step(n), g, n, 0, g.K);
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
        for (Index number = 0; number < depths(); ++number) {
            const Depth d = depth(number);
            Fetcher fetched = next_rows(number, task, next);
            for (Index s = 0; s < strips_; ++s) {
                const Columns n = strip(s);
                const Gemm& g = at(n, d);
                const Strip b = strips_stand_
                                    ? strip_in_memory(n, d)
                                    : Strip{shared_ + s * slots_ * kStrip + d.place * strip_step(n),
                                            strip_step(n)};
                if (s == 0 && !rows_as_they_stand(g))
                    for (Index p = 0; p < panels; ++p)
                        pack_panel(packed + p * kDepth * kPanelRows, g, first + p, k_of(d),
                                   K_of(g, d));
                for (Index p = 0; p < panels; ++p)
                    if (rows_as_they_stand(g))
                        multiply(first + p, n, d,
                                 RowsOf{g.A.data, g.A.row}.from(panels_.begin(first + p), k_of(d)),
                                 b, fetched.next());
                    else
                        multiply(first + p, n, d,
                                 ColumnsOf{packed + p * kDepth * kPanelRows, kPanelRows}, b,
                                 fetched.next());
            }
        }
        const Index m = panels_.begin(first);
        finish(m, panels_.begin(first + panels) - m, 0, g_[0].N);
    }
    // What a task has completed: finished row by row, for so memory likes to be read and written;
    // tile by tile the slope alone costs five times as much. (Joint products have no finish.)
    void finish(Index m, Index rows, Index n, Index width) {
        if (g_[0].finish != Finish::none) finish_rows(g_[0], m, rows, n, width);
        if (streamed(g_[0])) stream_fence();
    }
    // Where A is read next: at the next depth, or by the next task.
    Fetcher next_rows(Index number, Index task, Index next) const {
        const bool here = number + 1 < depths();
        if (!here && next >= tasks_.parts) return {};
        const Index from = here ? task : next;
        const Depth d = depth(here ? number + 1 : 0);
        const Gemm& g = g_[d.product];
        const Index m = panels_.begin(tasks_.begin(from)), end = tasks_.begin(from + 1);
        return {region(g.A, m, panels_.begin(end) - m, k_of(d), K_of(g, d)), depth(number).count};
    }

    // The strips of one task, for one block of panels: B is packed here, A is shared.
    void columns(Index block, Index task, Index next) {
        const Index first = tasks_.begin(task), end = tasks_.begin(task + 1);
        const Index begin = blocks_.begin(block), stop = begin + blocks_.size(block);
        Real* packed = workspace_.local(thread_number(), task_ * kDepth * kStrip);
        for (Index number = 0; number < depths(); ++number) {
            const Depth d = depth(number);
            for (Index s = first; s < end; ++s) {
                const Columns n = strip(s);
                if (!strip_stands(n, d))
                    pack_columns(packed + (s - first) * kDepth * kStrip, at(n, d), n, k_of(d),
                                 K_of(at(n, d), d));
            }
            Fetcher fetched = next_columns(number, task, next);
            for (Index s = first; s < end; ++s) {
                const Columns n = strip(s);
                const Strip b = strip_stands(n, d)
                                    ? strip_in_memory(n, d)
                                    : Strip{packed + (s - first) * kDepth * kStrip, strip_step(n)};
                for (Index panel = begin; panel < stop; ++panel)
                    multiply(panel, n, d, columns_of(panel, n, d), b, fetched.next());
            }
        }
        const Index m = panels_.begin(begin), n = first * kStrip;
        finish(m, panels_.begin(stop) - m, n, smaller_of((end - first) * kStrip, g_[0].N - n));
    }
    ColumnsOf columns_of(Index panel, const Columns& n, const Depth& d) const {
        const Gemm& g = at(n, d);
        if (columns_stand_)
            return ColumnsOf{g.A.data, g.A.column}.from(panels_.begin(panel), k_of(d));
        return {shared_ + (panel * slots_ + d.place) * kPanelRows, kPanelRows};
    }
    // A strip of B need not be packed where all of its vectors are full and its rows near.
    static bool rows_of_B_are_near(const Gemm& g) {
        return std::is_same_v<Pack, PackExact> && g.B.column == 1 && g.B.row <= kNear;
    }
    static bool strips_as_they_stand(const Gemm& g) {
        return rows_of_B_are_near(g) && g.N % kStrip == 0;
    }
    bool strip_stands(const Columns& n, const Depth& d) const {
        return rows_of_B_are_near(at(n, d)) && n.width == kStrip;
    }
    Strip strip_in_memory(const Columns& n, const Depth& d) const {
        const Matrix& B = at(n, d).B;
        return {B.data + k_of(d) * B.row + n.n, B.row};
    }
    // Where B is read next: at the next depth, or by the next task; of several products the first
    // strip's.
    Fetcher next_columns(Index number, Index task, Index next) const {
        const bool here = number + 1 < depths();
        if (!here && next >= tasks_.parts) return {};
        const Index from = here ? task : next;
        const Depth d = depth(here ? number + 1 : 0);
        const Columns n = strip(tasks_.begin(from));
        const Gemm& g = at(n, d);
        const Index width = smaller_of(tasks_.size(from) * kStrip, g.N - n.n);
        return {region(g.B, k_of(d), K_of(g, d), n.n, width), depth(number).count};
    }

    // ---- one tile
    static Index strip_step(const Columns& n) { return n.width > kLanes ? kStrip : kLanes; }

    template <class Rows>
    void multiply(Index panel, const Columns& n, const Depth& d, Rows a, const Strip& b,
                  const Ahead& fetched) const {
        const Gemm& g = one_C_ ? g_[0] : g_[n.product];
        const Index rows = panels_.size(panel);
        Real* c = g.C.data + panels_.begin(panel) * g.stride + n.n;
        const Start start = !d.first || g.C.add ? Start{c, g.stride}
                            : g.bias            ? Start{g.bias + n.n, 0}
                                                : Start{nullptr, 0};
        const Store how = streamed(g) && n.width == strip_step(n) ? Store::streamed : Store::cached;
        if (n.width > kLanes)
            Tiles<Pack, Rows, kTileVectors>::of(rows)(d.count, a, b.at, b.step, start, c, g.stride,
                                                      n.width, how, fetched);
        else
            Tiles<Pack, Rows, 1>::of(rows)(d.count, a, b.at, b.step, start, c, g.stride, n.width,
                                           how, fetched);
    }

    // The gradient of a weight matrix (A is Xᵀ) is not read before the optimizer. A large one is
    // written past the caches, so that its old lines need not be fetched first.
    bool streamed(const Gemm& g) const {
        return g.A.row == 1 && g.M * g.N > kLarge && !g.C.add && slots_ <= kDepth &&
               reinterpret_cast<std::uintptr_t>(g.C.data) % 64 == 0 &&
               std::size_t(g.stride) * sizeof(Real) % 64 == 0;
    }

    // ---- sizes
    // Tasks large enough to use what they pack several times, and several for every thread, as many
    // for one as for another.
    void choose_task_size() {
        const Index wanted = 4 * thread_count();
        if (share_B_) {
            task_ = 4;
            while (task_ > 1 && panels_.parts / task_ < wanted) --task_;
        } else {
            task_ = 64 / kStrip;
            const Index wide = (strips_ + task_ - 1) / task_;
            Index most = 512 / kTileRows;
            while (most > 1 && (panels_.parts + most - 1) / most * wide < wanted)
                most = (most + 1) / 2;
            blocks_ = Split(panels_.parts, most);
            if (blocks_.parts * wide < wanted) task_ = 1;
        }
        tasks_ = Split(share_B_ ? panels_.parts : strips_, task_, thread_count());
    }
    double packing_cost(Index tasks) const {
        const double numbers = share_B_ ? double(strips_ * kStrip) : double(g_[0].M);
        return 0.1 * numbers * double(slots_ * Pack::kPerSlot) / double(tasks);
    }
    void reserve(Index numbers) {  // here, where running out of memory may be said
        for (int thread = 0; thread < thread_count(); ++thread) workspace_.local(thread, numbers);
    }

    const Gemm* g_;
    Index count_;
    bool one_C_, share_B_ = false, columns_stand_ = true, strips_stand_ = true;
    Split panels_;        // rows of C in panels
    Split blocks_{1, 1};  // panels in blocks, where B is packed by the task
    Split tasks_{1, 1};   // panels, or strips, in tasks
    Index strips_ = 0, slots_ = 0;
    Index task_ = 1;  // the most panels or strips of a task
    double work_ = 0;
    Real* shared_ = nullptr;
    Workspace& workspace_;
};

}  // namespace
}  // namespace zhuyi::ZHUYI_INSTRUCTION_SET
