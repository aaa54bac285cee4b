// Fetching ahead: while a tile is multiplied, the memory that will be packed next is asked for, one
// line with every k. On weights that come from far away (a small batch, large matrices) it can be a
// tenth of the step.
#pragma once
#include "kernels/kernels.h"
#include "kernels/tile.h"

namespace zhuyi::ZHUYI_INSTRUCTION_SET {
namespace {

// A part of a matrix as it stands in memory, for fetching it ahead: rows of neighbours.
struct Region {
    const Real* from;
    Index rows, stride, length;
};

inline Region region(const Matrix& m, Index i, Index rows, Index j, Index columns) {
    const Real* from = m.data + i * m.row + j * m.column;
    return m.column == 1 ? Region{from, rows, m.row, columns}
                         : Region{from, columns, m.column, rows};
}

// Walks through a region, row after row, as memory likes to be read. next() says what the next tile
// fetches of it: one line of memory with each of the tile's `count` packed k. Without a region it
// fetches nothing.
class Fetcher {
  public:
    Fetcher() = default;
    Fetcher(const Region& r, Index count) : r_(r) {
        const Index lines = (r.length + kLine - 1) / kLine;
        if (lines == 0 || count < lines) return;
        rows_ = count / lines;
        ahead_ = {nullptr, bytes(kLine), lines, bytes(r.stride - (lines - 1) * kLine)};
    }
    Ahead next() {
        if (rows_ == 0 || row_ + rows_ > r_.rows) return {};
        Ahead found = ahead_;
        found.line = reinterpret_cast<const char*>(r_.from + row_ * r_.stride);
        row_ += rows_;
        return found;
    }

  private:
    static constexpr Index kLine = 64 / sizeof(Real);
    static Index bytes(Index numbers) { return numbers * Index(sizeof(Real)); }

    Region r_{nullptr, 0, 0, 0};
    Ahead ahead_;
    Index rows_ = 0;  // that one call covers
    Index row_ = 0;   // where the next call begins
};

}  // namespace
}  // namespace zhuyi::ZHUYI_INSTRUCTION_SET
