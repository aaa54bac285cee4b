// The inner loop of every matrix product: a tile of C, at most kTileRows x (kTileVectors · 16),
// stays in registers while k runs. Each of its elements is one chain of fused multiply-adds, k = 0,
// 1, 2 …, and lanes lie along a row of C, never along k: how the product is cut into tiles, blocks
// and tasks cannot change a bit.
#pragma once

#include "kernels/lanes.h"

namespace zhuyi::ZHUYI_INSTRUCTION_SET {
namespace {

// Where the tile's part of A is: either its rows run along k, or the numbers of one k stand side by
// side (a transpose, or packed as in gemm.h). (Of two words each: such a struct travels in
// registers. A larger one would be written to memory for the call and read back in pieces of
// another size, and such a load waits until every store before it has reached the cache.)
struct RowsOf {  // element (i, k) at at[i * step + k]
    const Real* at;
    Index step;
    [[gnu::always_inline]] Real operator()(int row) const { return at[row * step]; }
    [[gnu::always_inline]] void next() { ++at; }
    RowsOf from(Index i, Index k) const { return {at + i * step + k, step}; }
};
struct ColumnsOf {  // element (i, k) at at[k * step + i]
    const Real* at;
    Index step;
    [[gnu::always_inline]] Real operator()(int row) const { return at[row]; }
    [[gnu::always_inline]] void next() { at += step; }
    ColumnsOf from(Index i, Index k) const { return {at + k * step + i, step}; }
};

// A strip of B: full vectors, its rows `step` apart
struct Strip {
    const Real* at;
    Index step;
};

// What the chains begin with: nothing (null), one row for all (stride 0: a bias), or C so far.
struct Start {
    const Real* at;
    Index stride;
};

// Memory fetched ahead, one line with every k: `step` bytes on, and after each `group` of lines
// `jump` bytes instead. (Without any, the tile's own B is asked for again; one loop for both leaves
// the compiler the registers it needs.)
struct Ahead {
    const char* line = nullptr;
    Index step = 0, group = Index(1) << 40, jump = 0;
};

enum class Store { cached, streamed };

// Numbers as they are.
struct Exact {
    static constexpr Index kPerSlot = 1;  // how many k one packed number holds
    [[gnu::always_inline]] static Lanes multiply_add(Real a, Lanes b, Lanes c) {
        return fma(all(a), b, c);
    }
};

// C (rows x columns, columns <= Vectors · 16) = start + A · B over `count` packed k. A tile that
// Copies leaves its B at `copy`, packed: the processor waits for B's memory and multiplies at the
// same time. `ahead` comes by reference, because it is larger than two words.
template <class Operands, class Left, int Rows, int Vectors, bool Copies>
void tile(Index count, Left a, Strip b, [[maybe_unused]] Real* copy, Start start, Real* c,
          Index stride, Index columns, Store how, const Ahead& ahead) {
    Lanes sum[std::size_t(Rows)][std::size_t(Vectors)];
    const bool full = columns == Vectors * kLanes;
    if (how == Store::cached)
#pragma GCC unroll 16
        for (int i = 0; i < Rows; ++i)
#pragma GCC unroll 2
            for (int j = 0; j < Vectors; ++j) __builtin_prefetch(c + i * stride + j * kLanes, 1);
    const auto part = [=](int j) {
        const Index left = columns - j * kLanes;
        return left < 0 ? 0 : smaller_of(left, kLanes);
    };
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i)
#pragma GCC unroll 2
        for (int j = 0; j < Vectors; ++j) {
            const Real* from = start.at + i * start.stride + j * kLanes;
            sum[i][j] = !start.at ? all(0) : full ? load(from) : load(from, part(j));
        }

    const char* line = ahead.line ? ahead.line : reinterpret_cast<const char*>(b.at);
    const Index step = ahead.step, group = ahead.group, jump = ahead.jump;
#pragma GCC unroll 4  // a tile that copies: 7 % faster
    for (Index k = 0, left = group; k < count; ++k) {
        __builtin_prefetch(line);
        const bool jumps = --left == 0;
        line += jumps ? jump : step;
        left = jumps ? group : left;
        Lanes row[std::size_t(Vectors)];
#pragma GCC unroll 2
        for (int j = 0; j < Vectors; ++j) {
            row[j] = load(b.at + j * kLanes);
            if constexpr (Copies) store(copy + j * kLanes, row[j]);
        }
#pragma GCC unroll 16
        for (int i = 0; i < Rows; ++i) {
            const Real number = a(i);
#pragma GCC unroll 2
            for (int j = 0; j < Vectors; ++j)
                sum[i][j] = Operands::multiply_add(number, row[j], sum[i][j]);
        }
        a.next();
        b.at += b.step;
        if constexpr (Copies) copy += Vectors * kLanes;
    }

#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i)
#pragma GCC unroll 2
        for (int j = 0; j < Vectors; ++j) {
            Real* to = c + i * stride + j * kLanes;
            if (how == Store::streamed)
                stream(to, sum[i][j]);
            else if (full)
                store(to, sum[i][j]);
            else
                store(to, sum[i][j], part(j));
        }
}

// The tile functions for 1, 2, … rows: a product's last rows run at full width too.
template <class Operands, class Left, int Vectors, bool Copies = false>
struct Tiles {
    using Function = void (*)(Index, Left, Strip, Real*, Start, Real*, Index, Index, Store,
                              const Ahead&);
    template <int... I>
    static Function pick(int rows, std::integer_sequence<int, I...>) {
        static constexpr Function table[] = {tile<Operands, Left, I + 1, Vectors, Copies>...};
        return table[rows - 1];
    }
    static Function of(Index rows) {
        return pick(int(rows), std::make_integer_sequence<int, kTileRows>{});
    }
};

}  // namespace
}  // namespace zhuyi::ZHUYI_INSTRUCTION_SET
