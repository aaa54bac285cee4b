// Sums over many numbers whose order must not depend on who adds.
#pragma once
#include "kernels/kernels.h"
#include "kernels/loops.h"

namespace zhuyi::ZHUYI_INSTRUCTION_SET {
namespace {

// Each column has one owner who walks down the rows: 64 columns at a time, four independent
// additions and whole cache lines. The rows' order is the sum's order.
inline void sum_rows(Destination db, const Real* dy, Index N, Index C) {
    constexpr Index kWide = 4;
    if (!db) return;
    const auto owned = [=](Index c, auto part) {
        Lanes sum = db.add ? load(db.data + c, part) : all(0);
        for (Index r = 0; r < N; ++r) sum = sum + load(dy + r * C + c, part);
        store(db.data + c, sum, part);
    };
    parallel_for((C + kWide * kLanes - 1) / (kWide * kLanes), double(N) * kWide, [=](Index block) {
        const Index first = block * kWide * kLanes;
        if (first + kWide * kLanes > C) {
            for_lanes(C - first, [&](Index i, auto part) { owned(first + i, part); });
            return;
        }
        Lanes sum[kWide];
#pragma GCC unroll 4
        for (Index q = 0; q < kWide; ++q)
            sum[q] = db.add ? load(db.data + first + q * kLanes) : all(0);
        for (Index r = 0; r < N; ++r)
#pragma GCC unroll 4
            for (Index q = 0; q < kWide; ++q)
                sum[q] = sum[q] + load(dy + r * C + first + q * kLanes);
#pragma GCC unroll 4
        for (Index q = 0; q < kWide; ++q) store(db.data + first + q * kLanes, sum[q]);
    });
}

// In chunks of kChunk numbers: within one in float, four sums of 16 lanes side by side so that
// additions need not wait for each other; then over the chunks in double, in order.
inline double sum_of_squares(const Real* x, Index count, Workspace& workspace) {
    const Index chunks = (count + kChunk - 1) / kChunk;
    auto* partial =
        reinterpret_cast<double*>(workspace.shared(chunks * Index(sizeof(double) / sizeof(Real))));
    parallel_for(chunks, 0.1 * double(kChunk), [=](Index chunk) {
        const Index first = chunk * kChunk, end = smaller_of(count, first + kChunk);
        Lanes squares[4] = {all(0), all(0), all(0), all(0)};
        Index i = first;
        for (; i + 4 * kLanes <= end; i += 4 * kLanes)
#pragma GCC unroll 4
            for (Index q = 0; q < 4; ++q) {
                const Lanes a = load(x + i + q * kLanes);
                squares[q] = fma(a, a, squares[q]);
            }
        for (Index q = 0; i < end; i += kLanes, ++q) {
            const Lanes a = load(x + i, smaller_of(kLanes, end - i));
            squares[q] = fma(a, a, squares[q]);
        }
        partial[chunk] = double(sum((squares[0] + squares[1]) + (squares[2] + squares[3])));
    });
    double total = 0;
    for (Index chunk = 0; chunk < chunks; ++chunk) total += partial[chunk];
    return total;
}

}  // namespace
}  // namespace zhuyi::ZHUYI_INSTRUCTION_SET
