// Rows looked up in a table, and gradients added back to the rows they came from.
#pragma once
#include "kernels/kernels.h"
#include "kernels/loops.h"

namespace zhuyi::ZHUYI_INSTRUCTION_SET {
namespace {

inline void embedding_forward(Real* x, const Token* ids, const Real* E, const Real* P, Index N,
                              Index T, Index first, Index C) {
    for_rows(N, C, 0.2, [=](Index r) {
        const Real* token = E + ids[r] * C;
        const Real* position = P ? P + (first + r % T) * C : nullptr;
        for_lanes(C, [&](Index c, auto part) {
            const Lanes e = load(token + c, part);
            store(x + r * C + c, P ? e + load(position + c, part) : e, part);
        });
    });
}

// The same token may stand in many rows of the batch, so the tasks share out columns, not rows: a
// task owns as many columns of both tables as a cache line holds, and adds row after row of the
// batch.
inline void embedding_backward(Destination dE, Destination dP, const Real* dx, const Token* ids,
                               Index N, Index T, Index C) {
    const auto columns = [=](Index c, auto part) {
        for (Index r = 0; dE && r < N; ++r)
            put({dE.data, true}, ids[r] * C + c, load(dx + r * C + c, part), part);
        for (Index t = 0; dP && t < T; ++t) {
            Lanes total = dP.add ? load(dP.data + t * C + c, part) : all(0);
            for (Index r = t; r < N; r += T) total = total + load(dx + r * C + c, part);
            store(dP.data + t * C + c, total, part);
        }
    };
    parallel_for((C + kLanes - 1) / kLanes, 4 * double(N), [=](Index block) {
        const Index c = block * kLanes;
        for_lanes(smaller_of(kLanes, C - c), [&](Index, auto part) { columns(c, part); });
    });
}

}  // namespace
}  // namespace zhuyi::ZHUYI_INSTRUCTION_SET
