#include "attention/neighbors.h"

#include <doctest/doctest.h>

#include "base/arena.h"
#include "base/tensor.h"
#include "support/close.h"

using namespace zhuyi;

TEST_CASE("neighbours: by the angle, whatever the length") {
    std::vector<Real> rows{1, 0, 10, 1, 0, 2, -3, 0, 0, 0};  // (5, 2)
    const Tensor E{rows.data(), nullptr, nullptr, {5, 2}};
    const std::vector<Token> of{0}, all{0, 1, 2, 3, 4};
    Workspace workspace;
    const auto found = nearest(E, of, all, 4, workspace);
    REQUIRE(found.size() == 1);
    REQUIRE(found[0].size() == 4);  // all but itself
    CHECK(found[0][0].token == 1);
    CHECK(close(found[0][0].cosine, 0.99503719, 1e-6));
    // at a right angle; a row of zeros counts so, too, and comes after by its number
    CHECK(found[0][1].token == 2);
    CHECK(found[0][2].token == 4);
    CHECK(found[0][3].token == 3);
    CHECK(close(found[0][3].cosine, -1, 1e-6));
}

TEST_CASE("neighbours: only among the candidates") {
    std::vector<Real> rows{1, 0, 1, 0, 0, 1};
    const Tensor E{rows.data(), nullptr, nullptr, {3, 2}};
    const std::vector<Token> of{0}, others{2};
    Workspace workspace;
    const auto found = nearest(E, of, others, 3, workspace);
    REQUIRE(found[0].size() == 1);
    CHECK(found[0][0].token == 2);
}
