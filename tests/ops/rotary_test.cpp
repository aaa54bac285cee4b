// What rotary positions are for: the score of a query and a key knows how far apart they stand, and
// nothing else of where.
#include "ops/rotary.h"

#include <doctest/doctest.h>

#include <cmath>

#include "support/close.h"
#include "support/gradcheck.h"

using namespace zhuyi;

namespace {

constexpr Index kPositions = 5000, kChannels = 32;

// q (D) as it stands at position t
std::vector<double> turned(const std::vector<Real>& q, const std::vector<Real>& table, Index t) {
    Tape tape(false);
    Leaf row({1, 1, kChannels}, q);
    const Tensor angles{const_cast<Real*>(table.data()), nullptr, nullptr, {kPositions, kChannels}};
    const In y = rotary(row.tensor(tape), angles, 1, t).values();
    return {y.begin(), y.end()};
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

}  // namespace

TEST_CASE("rotary: the score depends on the distance alone") {
    const std::vector<Real> table = rotary_angles(kPositions, kChannels);
    const std::vector<Real> q = Leaf({kChannels}, 1).value, k = Leaf({kChannels}, 2).value;
    const auto score = [&](Index t, Index s) {
        return dot(turned(q, table, t), turned(k, table, s));
    };
    for (const Index distance : {0, 1, 7, 100}) {
        const double here = score(distance, 0);
        for (const Index s : {1, 50, 4800})
            CHECK(close(score(s + distance, s), here, 1e-5, kDouble ? 1e-9 : 2e-5));
    }
    CHECK(std::abs(score(1, 0) - score(2, 0)) > 0.01);  // and it does depend on the distance
    CHECK(std::abs(score(1, 0) - score(0, 1)) > 0.01);  // before is not after
}

TEST_CASE("rotary: a turn changes no length, and position 0 nothing at all") {
    const std::vector<Real> table = rotary_angles(kPositions, kChannels);
    const std::vector<Real> q = Leaf({kChannels}, 1).value;
    const std::vector<double> as_it_was(q.begin(), q.end());
    CHECK(turned(q, table, 0) == as_it_was);
    for (const Index t : {1, 999, 4999}) {
        const std::vector<double> y = turned(q, table, t);
        CHECK(close(dot(y, y), dot(as_it_was, as_it_was), 0, 1e-6));
    }
}

// Against libm, in long double: the angles of the last of many positions are as good as the first.
TEST_CASE("rotary: the angles are t · 10000^(-2i/D), to the last bit or so") {
    const std::vector<Real> table = rotary_angles(kPositions, kChannels);
    for (const Index t : {1, 2, 63, 1024, 4999})
        for (Index i = 0; i < kChannels / 2; ++i) {
            const long double angle = t * std::pow(10000.0L, -2.0L * i / (long double)(kChannels));
            const double within = kDouble ? 1e-11 : 6e-8;
            const auto at = std::size_t(t * kChannels + i);
            CHECK(close(double(table[at]), double(std::cos(angle)), 0, within));
            CHECK(close(double(table[at + kChannels / 2]), double(std::sin(angle)), 0, within));
        }
}
