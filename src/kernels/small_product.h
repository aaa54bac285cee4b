// Products of operands that are small enough to stay in the caches, on the thread they are in:
// those of one head of one text.
#pragma once
#include "kernels/loops.h"
#include "kernels/pack.h"

namespace zhuyi::ZHUYI_INSTRUCTION_SET {
namespace {

// C (M, N) = [C +] A (M, K) · B (K, N): small operands in the caches, A as it stands, B's rows
// padded to whole vectors.
template <class Left>
struct SmallProduct {
    Index M, N, K;
    Left A;
    const Real* B;
    Index B_row;
    Destination C;
    Index C_row;
};

// `count` rows in equal parts, none with more rows than a tile has: the rows of a part
constexpr Index rows_of_tile(Index count) {
    const Index parts = (count + kTileRows - 1) / kTileRows;
    return parts > 0 ? (count + parts - 1) / parts : 0;
}

// Always inlined: `p` is larger than two words (tile.h).
template <class Left>
[[gnu::always_inline]] inline void multiply(const SmallProduct<Left>& p) {
    const Index most = rows_of_tile(p.M);
    for (Index i = 0; i < p.M; i += most) {
        const Index rows = smaller_of(most, p.M - i);
        const Left a = p.A.from(i, 0);
        for (Index j = 0; j < p.N;) {
            Real* c = p.C.data + i * p.C_row + j;
            const Start start = {p.C.add ? c : nullptr, p.C_row};
            if (kTileVectors == 2 && p.N - j > kLanes) {
                const Index n = smaller_of(2 * kLanes, p.N - j);
                Tiles<Exact, Left, kTileVectors>::of(rows)(p.K, a, {p.B + j, p.B_row}, nullptr,
                                                           start, c, p.C_row, n, Store::cached, {});
                j += n;
            } else {
                const Index n = smaller_of(kLanes, p.N - j);
                Tiles<Exact, Left, 1>::of(rows)(p.K, a, {p.B + j, p.B_row}, nullptr, start, c,
                                                p.C_row, n, Store::cached, {});
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

// The same transposed: to[j][i] = from[i][j], rows of `stride` >= count numbers, a multiple of 16
inline void transpose_rows(Real* to, Index stride, const Real* from, Index row, Index count,
                           Index width) {
    for (Index i = 0; i < count; i += kLanes)
        pack_strip<PackExact, kLanes>(to + i, stride, from + i * row, row, 1,
                                      smaller_of(kLanes, count - i), width);
}

}  // namespace
}  // namespace zhuyi::ZHUYI_INSTRUCTION_SET
