#include "explain/pass.h"

#include <doctest/doctest.h>

#include <cmath>

#include "support/close.h"

using namespace zhuyi;

namespace {

// I - 2 v vᵀ / vᵀv, v = (1, 2, 3, …) + shift: orthogonal and symmetric.
Grid reflection(Index n, double shift) {
    Grid x(n, n);
    double squares = 0;
    for (Index i = 0; i < n; ++i) squares += (double(i) + shift) * (double(i) + shift);
    for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j)
            x.at(i, j) = (i == j) - 2 * (double(i) + shift) * (double(j) + shift) / squares;
    return x;
}

Grid product(const Grid& a, const Grid& b) {
    Grid y(a.rows, b.columns);
    for (Index i = 0; i < y.rows; ++i)
        for (Index j = 0; j < y.columns; ++j)
            for (Index k = 0; k < a.columns; ++k) y.at(i, j) += a.at(i, k) * b.at(k, j);
    return y;
}

}  // namespace

TEST_CASE("directions: two by pencil") {
    // (0 3; -1 0) turns by a right angle, and stretches by 3 and 1.
    const auto two = directions({2, 2, {0, 3, -1, 0}}, {2, 2, {0, 1, -1, 0}});
    CHECK(close(two[0].size, 3, 1e-15));
    CHECK(close(two[1].size, 1, 1e-15));
    CHECK(close(two[0].other, 1, 1e-15));
    CHECK(close(two[1].other, 1, 1e-15));
    // (1 1; 1 1) has one direction of size 2; nothing is known about the other.
    const auto one = directions({2, 2, {1, 1, 1, 1}}, {2, 2, {1, 0, 0, 1}});
    CHECK(close(one[0].size, 2, 1e-15));
    CHECK(close(one[0].other, 1, 1e-15));
    CHECK(close(one[1].size, 0, 1e-15));
}

TEST_CASE("directions: known sizes, hidden by a reflection on either side") {
    constexpr Index kSide = 9;
    for (const Index columns : {kSide, 2 * kSide})
        for (const bool tall : {false, true}) {
            Grid sizes(kSide, columns), others(kSide, columns);
            for (Index i = 0; i < kSide; ++i) {
                sizes.at(i, i) = std::pow(10, -double(i));
                others.at(i, i) = double(i) - 4;
            }
            const Grid U = reflection(kSide, 1), V = reflection(columns, 3);
            Grid X = product(product(U, sizes), V), Y = product(product(U, others), V);
            if (tall)
                for (Grid* x : {&X, &Y}) {
                    Grid over(x->columns, x->rows);
                    for (Index i = 0; i < x->rows; ++i)
                        for (Index j = 0; j < x->columns; ++j) over.at(j, i) = x->at(i, j);
                    *x = over;
                }
            const auto all = directions(X, Y);
            REQUIRE(all.size() == std::size_t(kSide));
            for (Index i = 0; i < kSide; ++i) {
                const Direction& d = all[std::size_t(i)];
                CHECK(close(d.size, std::pow(10, -double(i)), 1e-15));
                CHECK(close(d.other, double(i) - 4, 1e-5));
            }
        }
}
