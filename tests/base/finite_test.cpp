#include "base/math.h"

#include <doctest/doctest.h>

#include <vector>

using namespace zhuyi;

TEST_CASE("finite: the first number that is none, wherever it stands") {
    std::vector<Real> values(1000, Real(-3));
    CHECK_FALSE(first_not_finite(values));
    CHECK_FALSE(first_not_finite({}));
    values[0] = std::numeric_limits<Real>::max(), values[1] = std::numeric_limits<Real>::lowest();
    CHECK_FALSE(first_not_finite(values));
    for (std::size_t i : {999u, 700u, 256u, 255u, 3u}) {
        values[i] =
            i % 2 ? std::numeric_limits<Real>::quiet_NaN() : -std::numeric_limits<Real>::infinity();
        CHECK(first_not_finite(values) == Index(i));
    }
}
