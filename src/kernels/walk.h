// How matrix products are walked through: k in pieces that are packed at once, columns of C in
// strips. One product, or several that share A, or several that share C (then their k follow one
// another). M is the same for all.
#pragma once
#include "kernels/kernels.h"
#include "kernels/tile.h"

namespace zhuyi::ZHUYI_INSTRUCTION_SET {
namespace {

constexpr Index kStrip = kTileVectors * kLanes;  // columns of one strip of B
// The most packed k of one piece: a panel of A then lies in the first-level cache (28 KB). C is
// read and written once for each piece, so that with 384 forward and dX of a layer with 512
// channels took 2 % longer.
constexpr Index kDepth = 512;

// Packed k [slot, slot + count) of a product
struct Piece {
    Index product, slot, count;
    Index place;       // where they stand in the packing of all k
    bool first, last;  // of the chain of an element of C
};
// Columns [n, n + width) of a product's C
struct Columns {
    Index product, n, width;
};

class Walk {
  public:
    Walk(const Gemm* products, Index count, bool one_C, Index k_per_slot)
        : g_(products), count_(count), one_C_(one_C), k_per_slot_(k_per_slot) {}

    // The packed k of one chain, and their pieces. Products that share C are one chain, one after
    // another; of products that share A each is a chain, and all are equally long.
    Index slots() const {
        Index all = 0;
        for (Index p = 0; p < chained(); ++p) all += slots(p);
        return all;
    }
    Index pieces() const {
        Index all = 0;
        for (Index p = 0; p < chained(); ++p) all += pieces(p);
        return all;
    }
    Piece piece(Index number) const {
        Index p = 0, place = 0, left = number;
        for (; left >= pieces(p); ++p) left -= pieces(p), place += slots(p);
        const Index length = length_of_piece(p), slot = left * length;
        return {p,
                slot,
                smaller_of(length, slots(p) - slot),
                place + slot,
                number == 0,
                number + 1 == pieces()};
    }
    Index k_of(const Piece& k) const { return k.slot * k_per_slot_; }
    Index K_of(const Gemm& g, const Piece& k) const {
        return smaller_of(g.K - k_of(k), k.count * k_per_slot_);
    }

    Index strips() const {
        Index all = 0;
        for (Index p = 0; p < (one_C_ ? 1 : count_); ++p) all += strips(p);
        return all;
    }
    Columns strip(Index number) const {
        Index p = 0;
        for (; number >= strips(p); ++p) number -= strips(p);
        return {p, number * kStrip, smaller_of(kStrip, g_[p].N - number * kStrip)};
    }

    // The product whose A and B meet in a strip at a piece
    const Gemm& at(const Columns& n, const Piece& k) const {
        return g_[one_C_ ? k.product : n.product];
    }
    // … and the one whose C it is.
    const Gemm& result(const Columns& n) const { return g_[n.product]; }

  private:
    Index chained() const { return one_C_ ? count_ : 1; }
    Index slots(Index p) const { return (g_[p].K + k_per_slot_ - 1) / k_per_slot_; }
    Index strips(Index p) const { return (g_[p].N + kStrip - 1) / kStrip; }
    Index pieces(Index p) const { return slots(p) > 0 ? (slots(p) + kDepth - 1) / kDepth : 1; }
    // Equally long, so that while one is multiplied the next can be fetched
    Index length_of_piece(Index p) const {
        return round_up((slots(p) + pieces(p) - 1) / pieces(p), kLanes);
    }

    const Gemm* g_;
    Index count_;
    bool one_C_;
    Index k_per_slot_;  // how many k one packed number holds
};

}  // namespace
}  // namespace zhuyi::ZHUYI_INSTRUCTION_SET
