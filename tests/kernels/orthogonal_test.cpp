// orthogonalise(): X = U Σ Vᵀ becomes about U Vᵀ (kernels/orthogonal.h).
#include <algorithm>
#include <cmath>

#include "kernels/everywhere.h"

namespace zhuyi {
namespace {

using Numbers = std::vector<Real>;

Numbers orthogonal(const Kernels& table, const Numbers& x, Index rows, Index columns) {
    Numbers y(x.size()), memory(std::size_t(table.orthogonalise_numbers(rows, columns)) + 1);
    table.orthogonalise(y.data(), x.data(), rows, columns, memory.data());
    return y;
}

// What the three polynomials make of one singular value.
double polynomials(double sigma) {
    constexpr double kPolynomials[3][3] = {{7.8327090, -21.4357903, 15.1063201},
                                           {3.5821168, -2.5766242, 0.4872445},
                                           {2.7044521, -2.0123759, 0.4565303}};
    for (const auto& [a, b, c] : kPolynomials)
        sigma = a * sigma + b * std::pow(sigma, 3) + c * std::pow(sigma, 5);
    return sigma;
}

// x reflected at the plane across v = (1, 2, 3 …): I - 2 v vᵀ / vᵀv, an orthogonal matrix, from the
// left or from the right.
Numbers reflected(Numbers x, Index rows, Index columns, bool left) {
    const Index n = left ? rows : columns, others = left ? columns : rows;
    double squares = 0;
    for (Index i = 1; i <= n; ++i) squares += double(i) * double(i);
    for (Index other = 0; other < others; ++other) {
        const auto at = [&](Index i) -> Real& {
            return x[std::size_t(left ? i * columns + other : other * columns + i)];
        };
        double along = 0;
        for (Index i = 0; i < n; ++i) along += double(i + 1) * double(at(i));
        for (Index i = 0; i < n; ++i)
            at(i) = Real(double(at(i)) - 2 * along / squares * double(i + 1));
    }
    return x;
}

TEST_CASE("orthogonalise: two directions by pencil") {
    // X = (0 3; -1 0) turns by a right angle and stretches by 3 and 1. X Xᵀ = diag(9, 1), its
    // length √82; so the singular values are divided by √(1.02 √82) = 3.0391: 0.98712 and 0.32904.
    const double divisor = std::sqrt(1.02 * std::sqrt(82.0));
    CHECK(close(divisor, 3.0391, 1e-4));
    for (const Kernels* table : tables()) {
        const Numbers y = orthogonal(*table, {0, 3, -1, 0}, 2, 2);
        CHECK(y[0] == 0);
        CHECK(close(y[1], polynomials(3 / divisor), 1e-5));
        CHECK(close(y[2], -polynomials(1 / divisor), 1e-5));
        CHECK(y[3] == 0);
    }
}

TEST_CASE("orthogonalise: every direction gets nearly an equal say") {
    // Singular values from 1 down to 2^-11, hidden by a reflection on either side.
    constexpr Index kSide = 12;
    for (const Index columns : {kSide, 3 * kSide}) {
        Numbers x(std::size_t(kSide * columns));
        double squares = 0;
        for (Index i = 0; i < kSide; ++i) {
            x[std::size_t(i * columns + i)] = Real(std::pow(0.5, double(i)));
            squares += std::pow(0.0625, double(i));
        }
        const double divisor = std::sqrt(1.02 * std::sqrt(squares));
        x = reflected(reflected(x, kSide, columns, true), kSide, columns, false);
        Numbers y = orthogonal(*tables().front(), x, kSide, columns);
        y = reflected(reflected(y, kSide, columns, true), kSide, columns, false);
        for (Index i = 0; i < kSide; ++i)
            for (Index j = 0; j < columns; ++j) {
                const double now = double(y[std::size_t(i * columns + j)]);
                const double before = std::pow(0.5, double(i)) / divisor;
                if (i != j)
                    CHECK(close(now, 0, kDouble ? 1e-12 : 2e-4));
                else if (before >= 0.01)
                    CHECK((now > 0.71 && now < 1.29));
                else  // smaller ones grow by up to 76 times
                    CHECK((now > 60 * before && now < 76 * before));
            }
    }
}

TEST_CASE("orthogonalise: only directions matter, not how long the gradient is") {
    Numbers x = random_numbers(20 * 33, 3);
    const Numbers y = orthogonal(*tables().front(), x, 20, 33);
    for (const int exponent : {-100, -50, 50, 100}) {
        Numbers scaled = x;
        for (Real& number : scaled) number = std::ldexp(number, exponent);
        CHECK(orthogonal(*tables().front(), scaled, 20, 33) == y);
    }
    std::fill(x.begin(), x.end(), Real(0));
    CHECK(orthogonal(*tables().front(), x, 20, 33) == x);
}

TEST_CASE("orthogonalise: of the transposed matrix it is the transposed result") {
    const Numbers x = random_numbers(20 * 33, 4);
    Numbers transposed(x.size());
    for (Index i = 0; i < 20; ++i)
        for (Index j = 0; j < 33; ++j)
            transposed[std::size_t(j * 20 + i)] = x[std::size_t(i * 33 + j)];
    const Numbers y = orthogonal(*tables().front(), x, 20, 33);
    const Numbers y_transposed = orthogonal(*tables().front(), transposed, 33, 20);
    for (Index i = 0; i < 20; ++i)
        for (Index j = 0; j < 33; ++j)
            CHECK(close(y_transposed[std::size_t(j * 20 + i)], y[std::size_t(i * 33 + j)], 1e-5));
}

TEST_CASE("Muon's kernels: the plain form and ours agree, and every machine has the same bits") {
    struct Size {
        Index rows, columns;
    };
    for (const Size& size : {Size{1, 1}, Size{1, 40}, Size{16, 16}, Size{17, 15}, Size{33, 64},
                             Size{64, 31}, Size{96, 97}, Size{20, 400}}) {
        const Index rows = size.rows, columns = size.columns, count = rows * columns;
        const Numbers gradient = random_numbers(count, 5, 1e-3),
                      m0 = random_numbers(count, 6, 1e-3);
        check_everywhere(
            "muon " + std::to_string(rows) + " x " + std::to_string(columns),
            [&](const Kernels& table, Workspace& workspace) {
                Outputs outputs;
                Numbers m = m0, u = m0, w = random_numbers(count, 7);
                table.momentum(u.data(), m.data(), gradient.data(), count, 0.95, 0.5);
                append(outputs, m), append(outputs, u);
                table.orthogonalise(
                    u.data(), u.data(), rows, columns,
                    workspace.shared(table.orthogonalise_numbers(rows, columns) + 1));
                append(outputs, u);
                table.descend(w.data(), u.data(), count, 0.99, 0.02);
                append(outputs, w);
                return outputs;
            },
            kDouble ? 1e-9 : 1e-3, 0);
    }
}

}  // namespace
}  // namespace zhuyi
