// Parallel loops over numbers and over rows. A task is large enough to be worth giving to a thread
// (some microseconds), and where one task ends and the next begins changes no result.
#pragma once
#include "base/parallel.h"
#include "kernels/lanes.h"

namespace zhuyi::ZHUYI_INSTRUCTION_SET {
namespace {

// Numbers that are summed by themselves first (sums.h). Fixed: the order of a sum is part of its
// bits.
constexpr Index kChunk = 8192;

// How many of `count` numbers one task takes where nothing is summed, a multiple of 16. Every
// thread gets two tasks, but none of less than kChunk / 8 numbers, which would take less time than
// handing it out. Long arrays come from memory, where longer pieces suit the processor's own
// fetching better (AdamW on 39 million weights: 7 %).
inline Index numbers_of_task(Index count) {
    const Index fair = round_up(count / (2 * thread_count()), kLanes);
    return smaller_of(count < 32 * kChunk ? kChunk : 4 * kChunk, larger_of(kChunk / 8, fair));
}

// [0, all), at least one number, cut into equal parts (give or take one), none larger than `most`:
// a multiple of `parts_of` parts, unless there are fewer numbers. The larger ones lie evenly
// between the others, so that threads with equally many parts have equally much to do.
struct Split {
    Index parts;
    // Numbers of one part, times 2^32: to divide for each tile would take 0.6 % of a product.
    Index each;
    Split(Index all, Index most, Index parts_of = 1)
        : parts(smaller_of(all, round_up((all + most - 1) / most, parts_of))),
          each(((all << 32) + parts - 1) / parts) {}
    Index begin(Index part) const { return part * each >> 32; }
    Index size(Index part) const { return begin(part + 1) - begin(part); }
};

// body(i, part) for i = 0, 16, 32 … below count, in any order.
template <class Body>
inline void for_all(Index count, double cost, const Body& body) {
    const Index size = numbers_of_task(count);
    parallel_for((count + size - 1) / size, cost * double(size), [&](Index piece) {
        const Index first = piece * size;
        for_lanes(smaller_of(size, count - first),
                  [&](Index i, auto part) { body(first + i, part); });
    });
}

// body(r) for each of N rows of C numbers, in any order; cost of one number
template <class Body>
inline void for_rows(Index N, Index C, double cost, const Body& body) {
    const Index rows = larger_of(1, smaller_of(kChunk, numbers_of_task(N * C)) / larger_of(1, C));
    parallel_for((N + rows - 1) / rows, cost * double(rows * C), [&](Index group) {
        const Index end = smaller_of(N, (group + 1) * rows);
        for (Index r = group * rows; r < end; ++r) body(r);
    });
}

// Like parallel_for, and says which task the same thread will probably do after this one (count:
// none), so that what it needs can be fetched meanwhile: body(task, next).
template <class Body>
inline void parallel_ahead(Index count, double cost, const Body& body) {
    parallel_for(count, cost, [&](Index task) { body(task, task + 1); });
}

}  // namespace
}  // namespace zhuyi::ZHUYI_INSTRUCTION_SET
