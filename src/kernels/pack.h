// Packing: a strip of a matrix is copied so that the numbers one step of the inner loop needs lie
// side by side, in the order in which it walks. Without it, rows that are a power of two apart
// would fall into the same few lines of the cache; with it, both ways a matrix may stand in memory
// (X and its transpose) cost the same.
#pragma once
#include "kernels/kernels.h"
#include "kernels/tile.h"

namespace zhuyi::ZHUYI_INSTRUCTION_SET {
namespace {

// How operands of a product are made from numbers. A strip has up to 16 lanes (rows of A or columns
// of B) and runs along k. `across`: the lanes of one packed k, when they are neighbours in memory.
// `along`: 16 packed k of one lane, when those are neighbours. `left` says how many k remain.
struct PackExact : Exact {
    using Left = PackExact;  // what packs A
    using Operands = Exact;  // of the tiles, which all who multiply exactly share
    template <class Part>
    [[gnu::always_inline]] static Lanes across(const Real* from, Index, Index, Part lanes) {
        return load(from, lanes);
    }
    [[gnu::always_inline]] static Lanes along(const Real* from, Index left) {
        return left >= kLanes ? load(from) : load(from, left);
    }
};

// bf16 (8 significant bits) on a machine without it: round while packing, then calculate in float.
// The product of two bf16 numbers is exact in float, so this is bit for bit what the hardware of
// bf16.h does.
struct PackRounded : Exact {
    using Left = PackRounded;
    using Operands = Exact;
    template <class Part>
    [[gnu::always_inline]] static Lanes across(const Real* from, Index, Index, Part lanes) {
        return round_to_bf16(load(from, lanes));
    }
    [[gnu::always_inline]] static Lanes along(const Real* from, Index left) {
        return round_to_bf16(PackExact::along(from, left));
    }
};

// Up to 16 lanes, whose numbers run along k in memory: blocks of 16 packed k are transposed.
// Nothing is asked of a full block on the way (a step with 512 channels and 64 rows: 1 % faster);
// so a lane that does not exist repeats the last one. The next lanes' numbers are asked for
// meanwhile: so many streams at once no processor fetches ahead (a step with 128 channels: 1.5 %).
template <class Pack, int Width, class Part>
inline void pack_transposed(Real* to, Index row, const Real* from, Index lane, Part lanes,
                            Index K) {
    constexpr Index kPerSlot = Pack::kPerSlot, kBlock = kLanes * kPerSlot;
    constexpr int kRows = Width < 8 ? 8 : Width;
    Index at[kLanes];
#pragma GCC unroll 16
    for (int j = 0; j < kRows; ++j) at[j] = smaller_of(j, lanes.count() - 1) * lane;
    for (; K > 0; K -= kBlock, to += kLanes * row, from += kBlock) {
        Lanes block[kLanes];
        if (K >= kBlock) {
#pragma GCC unroll 16
            for (int j = 0; j < kRows; ++j) {
                __builtin_prefetch(from + at[j] + kRows * lane, 0, 2);
                block[j] = Pack::along(from + at[j], kBlock);
            }
            transpose<kRows>(block);
#pragma GCC unroll 16
            for (int j = 0; j < kLanes; ++j) store_first<Width>(to + j * row, block[j]);
        } else {
            for (int j = 0; j < kRows; ++j) block[j] = Pack::along(from + at[j], K);
            transpose<kRows>(block);
            for (Index j = 0; j * kPerSlot < K; ++j) store_first<Width>(to + j * row, block[j]);
        }
    }
}

// One vector of lanes, whichever way it stands.
template <class Pack, int Width>
inline void pack_vector(Real* to, Index row, const Real* from, Index lane, Index k, Index lanes,
                        Index K) {
    constexpr Index kPerSlot = Pack::kPerSlot;
    if (lane == 1) {
        for (Index i = 0; i < K; i += kPerSlot, to += row, from += k * kPerSlot)
            store_first<Width>(to, Pack::across(from, k, K - i, First{lanes}));
    } else if (k == 1) {
        if (lanes == kLanes)
            pack_transposed<Pack, Width>(to, row, from, lane, All{}, K);
        else
            pack_transposed<Pack, Width>(to, row, from, lane, First{lanes}, K);
    } else {  // neither way: gather. No product of the model looks like this.
        for (Index i = 0; i < K; i += kPerSlot, to += row) {
            Real numbers[2 * kLanes] = {};
            for (Index d = 0; d < kPerSlot && i + d < K; ++d)
                for (Index j = 0; j < lanes; ++j)
                    numbers[d * kLanes + j] = from[j * lane + (i + d) * k];
            store_first<Width>(to, Pack::across(numbers, kLanes, K - i, All{}));
        }
    }
}

// `lanes` lanes of K numbers each, `lane` apart and `k` apart in memory, to rows of Vectors vectors
// that stand `row` apart, of which the first Width numbers are written. Lanes that do not exist
// hold any numbers: what a tile makes of them is not stored.
template <class Pack, int Width, int Vectors = 1>
inline void pack_strip(Real* to, Index row, const Real* from, Index lane, Index k, Index lanes,
                       Index K) {
    constexpr Index kPerSlot = Pack::kPerSlot;
    static_assert(Vectors == 1 || Width == kLanes);
    if (lane == 1 && lanes == Vectors * kLanes) {
        for (Index i = 0; i < K; i += kPerSlot, to += row, from += k * kPerSlot)
#pragma GCC unroll 2
            for (Index v = 0; v < Vectors * kLanes; v += kLanes)
                store_first<Width>(to + v, Pack::across(from + v, k, K - i, All{}));
    } else {
        for (Index v = 0; v < Vectors * kLanes; v += kLanes)
            pack_vector<Pack, Width>(to + v, row, from + v * lane, lane, k,
                                     smaller_of(kLanes, lanes - v), K);
    }
}

constexpr Index kNear = 384;  // numbers from one k to the next: near enough to be read unpacked

// How a strip of B comes to the tiles: read where it stands, if its rows are near; copied by the
// first panel's tile (64 rows by weights of 512 x 2048: 8 % faster than packed); packed before.
enum class Way { stands, copied, packed };

// Numbers as they are, in full vectors, need not be packed before. For dW rows are read down to the
// last of a batch: a multiple of 64 numbers apart they fall into an eighth of the nearest cache,
// and copied ones save 15 % of a product there (AVX2, W_Q W_K W_V of 128 channels).
template <class Pack>
inline Way way_of(const Gemm& g, Index width) {
    if (!std::is_same_v<Pack, PackExact> || g.B.column != 1 || width < kTileVectors * kLanes)
        return Way::packed;
    const bool few_places = g.A.row == 1 && g.B.row % 64 == 0;
    return g.B.row <= kNear && !few_places ? Way::stands : Way::copied;
}

}  // namespace
}  // namespace zhuyi::ZHUYI_INSTRUCTION_SET
