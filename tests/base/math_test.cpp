#include "base/math.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "support/close.h"

using namespace zhuyi;

TEST_CASE("math: both exponentials, from the smallest numbers to the largest") {
    for (double x = -700; x <= 700; x += 0.37) {
        double both[] = {x, -x, x};
        math::fast_exp(both);
        CAPTURE(x);
        CHECK(close(math::exp(x), std::exp(x), 0, 1e-15));
        CHECK(close(both[0], std::exp(x), 0, 1e-15));
        CHECK(close(both[1], std::exp(-x), 0, 1e-15));
        CHECK(both[2] == both[0]);
    }
    const double inf = std::numeric_limits<double>::infinity();
    double edges[] = {0, -800, 800, -inf, std::nan("")};
    math::fast_exp(edges);
    CHECK(edges[0] == 1);
    CHECK(close(edges[1], std::exp(-700.0), 0, 1e-15));
    CHECK(close(edges[2], std::exp(700.0), 0, 1e-15));
    CHECK(edges[3] == edges[1]);
    CHECK(std::isnan(edges[4]));
    CHECK(math::exp(-800) == 0);
    CHECK(math::exp(800) == inf);
}
