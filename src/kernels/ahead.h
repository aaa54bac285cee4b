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

// Walks through a region, row after row, as memory likes to be read. next() says what the next of
// `tiles` tiles fetches of it with each of its `count` packed k. Without a region it fetches
// nothing.
//
// One line may be asked for with several k, so that the region lasts for about half of the tiles:
// small tiles take few cycles for a k, and would ask for more than memory gives, and wait (AVX2, 64
// rows by weights of 512 x 512: a fifth of the product's time).
class Fetcher {
  public:
    Fetcher() = default;
    Fetcher(const Region& r, Index count, Index tiles) : r_(r) {
        const Index lines = (r.length + kLine - 1) / kLine;
        if (lines == 0 || count < lines) return;
        Index stay = 1;  // k that ask for one line
        while (stay < kLine && tiles / 2 * (count / (2 * stay * lines)) >= r.rows) stay *= 2;
        rows_ = count / (stay * lines);
        ahead_.step = bytes(kLine) / stay;
        ahead_.group = stay * lines;
        ahead_.jump = bytes(r.stride) - (ahead_.group - 1) * ahead_.step;
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
