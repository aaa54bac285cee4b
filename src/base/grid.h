// Vectors and matrices of double, for what is shown: copies of tensors that stay when the tape is
// reset. A double holds every Real exactly. Sums over them are checks and summaries; the model
// never computes with them.
#pragma once
#include <span>
#include <vector>

#include "base/list.h"
#include "base/tensor.h"

namespace zhuyi {

using Numbers = List<double>;

struct Grid {
    Index rows = 0, columns = 0;
    Numbers values;  // row-major

    Grid() = default;
    Grid(Index rows_, Index columns_)
        : rows(rows_), columns(columns_), values(std::size_t(rows_ * columns_)) {}
    Grid(Index rows_, Index columns_, Numbers values_);
    explicit Grid(const Tensor& x);  // (N, C) whatever the leading extents are
    Grid(In values, Index rows, Index columns);

    Shape shape() const { return {rows, columns}; }
    double& at(Index row, Index column) { return values[std::size_t(row * columns + column)]; }
    double at(Index row, Index column) const { return values[std::size_t(row * columns + column)]; }
    std::span<const double> row(Index r) const {
        return std::span(values).subspan(std::size_t(r * columns), std::size_t(columns));
    }
    Numbers row_copy(Index r) const { return {row(r).begin(), row(r).end()}; }
};

Grid rows_of(const Grid& x, Index first, Index count);
Grid columns_of(const Grid& x, Index first, Index count);

double dot(std::span<const double> a, std::span<const double> b);
double length(std::span<const double> a);                             // Euclidean
double cosine(std::span<const double> a, std::span<const double> b);  // 0 when one of them is 0
double distance(std::span<const double> a, std::span<const double> b);
// The length of a along b, negative where it points the other way; 0 when b is 0.
double along(std::span<const double> a, std::span<const double> b);
Numbers difference(std::span<const double> a, std::span<const double> b);  // a - b
Numbers scaled(std::span<const double> x, double by);
Grid times(const Grid& a, const Grid& b);  // a · b
Grid transposed(const Grid& x);

Numbers softmax(std::span<const double> row);
Grid softmax_rows(const Grid& x);
double log_probability(std::span<const double> scores, Index chosen);  // ln softmax(scores)[chosen]
Index rank_of(std::span<const double> scores,
              Index chosen);                            // from 1; of equals the first is first
double entropy(std::span<const double> probabilities);  // nats
Index largest(std::span<const double> row);             // the first of the largest
Index largest_absolute(std::span<const double> row);    // by |x|

}  // namespace zhuyi
