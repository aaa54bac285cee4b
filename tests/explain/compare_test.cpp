#include "explain/compare.h"

#include <doctest/doctest.h>

#include "base/check.h"
#include "formats/sheet_format.h"
#include "model/parameters.h"
#include "support/close.h"
#include "support/has.h"
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

TEST_CASE("worked comparison: texts that agree up to the character cannot be told apart there") {
    WorkedFixture fixture;
    // 苹果 begins both: the last token that both hold is 果
    const WorkedComparison c =
        worked_comparison(fixture.model(), fixture.ids("苹果吃了"), fixture.ids("苹果股票是"), -1);
    CHECK(c.token == "果");
    CHECK(c.same_so_far);
    CHECK(!c.later);  // 吃 and 了 are not in 股票是
    for (const auto& stage : c.stages) CHECK(stage.distance == 0);
    for (const auto& head : c.heads) CHECK(head.difference == 0);
    for (std::size_t i = 0; i < c.sides[0].predictions.size(); ++i)
        CHECK(c.sides[0].predictions[i].probability == c.sides[1].predictions[i].probability);
    const Sheet sheet = compare_sheet(c);
    const std::string chinese = sheet_as_terminal(sheet, {.language = Language::chinese});
    CHECK(has(chinese, "解码器在这里分不出两段话"));
    CHECK(has(chinese, "--text 吃了苹果  --compare 股票是苹果"));
    CHECK(has(chinese, "--text 摘下一个苹果  --compare 一百股苹果"));
}

TEST_CASE("worked comparison: a position after the difference is offered where there is one") {
    WorkedFixture fixture;
    const std::vector<Token> a = fixture.ids("苹果吃了一个"), b = fixture.ids("苹果是一个");
    const WorkedComparison c = worked_comparison(fixture.model(), a, b, 1);
    CHECK(c.same_so_far);
    REQUIRE(c.later);
    CHECK(*c.later == 5);  // 个
    CHECK(has(sheet_as_terminal(compare_sheet(c), {.language = Language::chinese}),
              "差别从位置 2 开始。可以看差别之后的字：--query 5（“个”）。"));
    CHECK(!worked_comparison(fixture.model(), a, b, -1).same_so_far);
}

TEST_CASE("worked comparison: another context in front is another vector") {
    WorkedFixture fixture;
    const WorkedComparison c =
        worked_comparison(fixture.model(), fixture.ids("吃了苹果"), fixture.ids("股票苹果"), -1);
    CHECK(!c.same_so_far);
    // same position, so the position does not part them, and the sheet says so with its number
    CHECK(c.stages[1].cosine == doctest::Approx(1));
    CHECK(has(sheet_as_markdown(compare_sheet(c), {.language = Language::chinese}),
              "加上位置编码后，余弦 1.0000"));
}
