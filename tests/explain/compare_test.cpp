#include "explain/compare.h"

#include <doctest/doctest.h>

#include "base/check.h"
#include "model/parameters.h"
#include "support/close.h"
#include "support/worked_fixture.h"
#include "train/config.h"
#include "train/optimizer.h"

using namespace zhuyi;

TEST_CASE("worked comparison: a text with itself has no difference") {
    WorkedFixture fixture;
    const std::vector<Token> ids = fixture.ids("吃了苹果");
    const WorkedComparison c = worked_comparison(fixture.model(), ids, ids, -1);
    CHECK(c.token == "果");
    for (const auto& stage : c.stages) {
        CHECK(close(stage.cosine, 1, 1e-12));
        CHECK(stage.distance == 0);
    }
    for (const auto& head : c.heads) CHECK(head.difference == 0);
}

TEST_CASE("worked comparison: context parts two vectors, from the first attention on") {
    WorkedFixture fixture;
    const WorkedComparison c =
        worked_comparison(fixture.model(), fixture.ids("吃了苹果"), fixture.ids("股票是果个"), -1);
    CHECK(c.sides[0].query == 3);
    CHECK(c.sides[1].query == 3);      // the position of 果 in the second text
    REQUIRE(c.stages.size() == 7);     // token, embedding, 2 blocks × 2, final norm
    CHECK(c.stages[1].distance == 0);  // same token, same position
    for (std::size_t i = 2; i < 7; ++i) CHECK(c.stages[i].distance > 1e-3);
    REQUIRE(c.heads.size() == 4);
    for (std::size_t i = 1; i < 4; ++i) CHECK(c.heads[i].difference <= c.heads[i - 1].difference);
}

TEST_CASE("worked comparison: in block 0 the heads' differences make the whole difference") {
    WorkedFixture fixture;
    const std::vector<Token> a = fixture.ids("吃了苹果"), b = fixture.ids("股票是果");
    const WorkedComparison c = worked_comparison(fixture.model(), a, b, 3);
    WorkedPass passes[2];
    record(passes[0], fixture.model(), a);
    record(passes[1], fixture.model(), b);
    const Grid one = head_parts(fixture.model(), passes[0], 0, 3);
    const Grid two = head_parts(fixture.model(), passes[1], 0, 3);
    Numbers total(12, 0);
    for (std::size_t i = 0; i < one.values.size(); ++i)
        total[i % 12] += one.values[i] - two.values[i];
    CHECK(close(length(total), c.stages[2].distance, 1e-4));
}

TEST_CASE("worked comparison: the second text must hold the character") {
    WorkedFixture fixture;
    CHECK_THROWS_AS(
        worked_comparison(fixture.model(), fixture.ids("苹果"), fixture.ids("小沈"), -1),
        UsageError);
}
