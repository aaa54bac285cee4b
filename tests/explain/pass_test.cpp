#include "explain/pass.h"

#include <doctest/doctest.h>

#include "base/check.h"
#include "model/parameters.h"
#include "support/worked_fixture.h"
#include "train/config.h"
#include "train/optimizer.h"

using namespace zhuyi;

TEST_CASE("worked text: letters in brackets become this text's numbers, others stay") {
    WorkedFixture fixture;
    const WorkedText text(fixture.model(), fixture.ids("小沈阳"), {1, 1, -1});
    CHECK(text.in_numbers("Q = X · W_Q:   [1, T, C] · [C, C] → [1, H, T, D]") ==
          "Q = X · W_Q:   [1, 3, 12] · [12, 12] → [1, 2, 3, 6]");
    CHECK(text.in_numbers("x = E[token] + P[position]") == "x = E[token] + P[position]");
    CHECK(text.query_token() == "阳");
    CHECK(text.labels()[1] == "1 沈");
}

TEST_CASE("worked pass: every named tensor as rows, and an error for another name") {
    WorkedFixture fixture;
    WorkedPass pass;
    record(pass, fixture.model(), fixture.ids("小沈阳"));
    CHECK(pass.values("embedding").shape() == Shape{3, 12});
    CHECK(pass.values("block.1.attention.weights").shape() == Shape{2 * 3, 3});
    CHECK_THROWS_AS(pass.values("block.2.attention.weights"), Error);
    CHECK_THROWS_AS(pass.gradients("embedding"), Error);  // nothing ran backward
}
