#include "base/grid.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/math.h"

namespace zhuyi {

Grid::Grid(Index rows_, Index columns_, Numbers values_)
    : rows(rows_), columns(columns_), values(std::move(values_)) {
    require(Index(values.size()) == rows * columns, "grid: one number for each place");
}

Grid::Grid(const Tensor& x) : Grid(x.values(), x.rows(), x.columns()) {}

Grid::Grid(In values_, Index rows_, Index columns_)
    : Grid(rows_, columns_, Numbers(values_.begin(), values_.end())) {}

Grid rows_of(const Grid& x, Index first, Index count) {
    const auto begin = x.values.begin() + first * x.columns;
    return {count, x.columns, Numbers(begin, begin + count * x.columns)};
}

Grid columns_of(const Grid& x, Index first, Index count) {
    Grid part(x.rows, count);
    for (Index r = 0; r < x.rows; ++r)
        for (Index c = 0; c < count; ++c) part.at(r, c) = x.at(r, first + c);
    return part;
}

double dot(std::span<const double> a, std::span<const double> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

double length(std::span<const double> a) { return std::sqrt(dot(a, a)); }

double cosine(std::span<const double> a, std::span<const double> b) {
    const double lengths = length(a) * length(b);
    return lengths > 0 ? dot(a, b) / lengths : 0;
}

double distance(std::span<const double> a, std::span<const double> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return std::sqrt(sum);
}

double along(std::span<const double> a, std::span<const double> b) {
    const double size = length(b);
    return size > 0 ? dot(a, b) / size : 0;
}

Numbers difference(std::span<const double> a, std::span<const double> b) {
    Numbers d(a.begin(), a.end());
    for (std::size_t i = 0; i < d.size(); ++i) d[i] -= b[i];
    return d;
}

Numbers scaled(std::span<const double> x, double by) {
    Numbers y;
    for (const double each : x) y.push_back(by * each);
    return y;
}

Grid times(const Grid& a, const Grid& b) {
    Grid y(a.rows, b.columns);
    for (Index i = 0; i < a.rows; ++i)
        for (Index k = 0; k < a.columns; ++k)
            for (Index j = 0; j < b.columns; ++j) y.at(i, j) += a.at(i, k) * b.at(k, j);
    return y;
}

Grid transposed(const Grid& x) {
    Grid y(x.columns, x.rows);
    for (Index r = 0; r < x.rows; ++r)
        for (Index c = 0; c < x.columns; ++c) y.at(c, r) = x.at(r, c);
    return y;
}

Grid softmax_rows(const Grid& x) {
    Grid y(x.rows, x.columns);
    for (Index r = 0; r < x.rows; ++r)
        std::ranges::copy(softmax(x.row(r)), y.values.begin() + r * x.columns);
    return y;
}

Numbers softmax(std::span<const double> row) {
    const double top = *std::max_element(row.begin(), row.end());
    Numbers p;
    double sum = 0;
    for (double x : row) sum += p.emplace_back(math::exp(x - top));
    for (double& x : p) x /= sum;
    return p;
}

double log_probability(std::span<const double> scores, Index chosen) {
    const double top = *std::max_element(scores.begin(), scores.end());
    double sum = 0;
    for (const double z : scores) sum += std::exp(z - top);
    return scores[std::size_t(chosen)] - top - std::log(sum);
}

Index rank_of(std::span<const double> scores, Index chosen) {
    const double own = scores[std::size_t(chosen)];
    Index rank = 1;
    for (Index i = 0; i < std::ssize(scores); ++i)
        if (const double z = scores[std::size_t(i)]; z > own || (z == own && i < chosen)) ++rank;
    return rank;
}

double entropy(std::span<const double> probabilities) {
    double sum = 0;
    for (double p : probabilities)
        if (p > 0) sum -= p * math::log(p);
    return sum;
}

Index largest(std::span<const double> row) {
    return std::max_element(row.begin(), row.end()) - row.begin();
}

Index largest_absolute(std::span<const double> row) {
    const auto smaller = [](double a, double b) { return std::abs(a) < std::abs(b); };
    return std::max_element(row.begin(), row.end(), smaller) - row.begin();
}

}  // namespace zhuyi
