#include <doctest/doctest.h>

#include "base/check.h"
#include "explain/forward.h"
#include "formats/sheet_format.h"
#include "model/parameters.h"
#include "support/close.h"
#include "support/has.h"
#include "support/worked_fixture.h"
#include "train/config.h"
#include "train/optimizer.h"

using namespace zhuyi;

namespace {

Sheet compared(WorkedFixture& fixture, const char* first, const char* second, Index query = -1) {
    return compare_sheet(fixture.model(), fixture.ids(first), fixture.ids(second), query);
}

}  // namespace

TEST_CASE("worked comparison: context parts two vectors, from the first attention on") {
    WorkedFixture fixture;
    const Sheet c = compared(fixture, "吃了苹果", "股票是果个");
    CHECK(c.table("texts").row("A").words(0) == "3");
    CHECK(c.table("texts").row("B").words(1) == "股票是[果]个");
    const Numbers distances = c.table("stages").column(1);
    REQUIRE(distances.count() == 7);  // token, embedding, 2 blocks × 2, final norm
    CHECK(distances[1] == 0);         // same token, same position
    for (Index i = 2; i < 7; ++i) CHECK(distances[i] > 1e-3);
    const Numbers heads = c.table("heads").column(0);
    REQUIRE(heads.count() == 4);
    for (Index i = 1; i < 4; ++i) CHECK(heads[i] <= heads[i - 1]);
}

TEST_CASE("worked comparison: in block 0 the heads' differences make the whole difference") {
    WorkedFixture fixture;
    const Sheet c = compared(fixture, "吃了苹果", "股票是果", 3);
    const Reading a = read(fixture.model(), fixture.ids("吃了苹果"), {0, 0, 3});
    const Reading b = read(fixture.model(), fixture.ids("股票是果"), {0, 0, 3});
    const Grid one = head_parts(a.model, a.pass, 0, 3), two = head_parts(b.model, b.pass, 0, 3);
    Numbers total(12, 0);
    for (Index i = 0; i < one.values.count(); ++i) total[i % 12] += one.values[i] - two.values[i];
    CHECK(close(length(total), c.table("stages").row("block 0 attention").number(1), 1e-4));
}

TEST_CASE("worked comparison: the second text must hold the character") {
    WorkedFixture fixture;
    CHECK_THROWS_AS(compared(fixture, "苹果", "小沈"), UsageError);
}

TEST_CASE("worked comparison: texts that agree up to the character cannot be told apart there") {
    WorkedFixture fixture;
    // 苹果 begins both: the last token that both hold is 果
    const Sheet c = compared(fixture, "苹果吃了", "苹果股票是");
    CHECK(!c.has("stages"));
    CHECK(c.table("predictions").row("A").words() == c.table("predictions").row("B").words());
    const std::string chinese = in_chinese(
        [&] { return sheet_as_terminal(compared(fixture, "苹果吃了", "苹果股票是"), {}); });
    CHECK(has(chinese, "解码器在这里分不出两段话"));
    CHECK(!has(chinese, "--query"));  // 吃 and 了 are not in 股票是
    CHECK(has(chinese, "--text 吃了苹果  --compare 股票是苹果"));
    CHECK(has(chinese, "--text 摘下一个苹果  --compare 一百股苹果"));
    CHECK(compared(fixture, "吃了苹果", "吃了苹果").has("same"));  // a text with itself
}

TEST_CASE("worked comparison: a position after the difference is offered where there is one") {
    WorkedFixture fixture;
    const auto c = [&] { return compared(fixture, "苹果吃了一个", "苹果是一个", 1); };
    CHECK(has(in_chinese([&] { return sheet_as_terminal(c(), {}); }),
              "差别从位置 2 开始。可以看差别之后的字：--query 5（“个”）。"));
    CHECK(compared(fixture, "苹果吃了一个", "苹果是一个").has("stages"));
}

TEST_CASE("worked comparison: another context in front is another vector") {
    WorkedFixture fixture;
    const auto c = [&] { return compared(fixture, "吃了苹果", "股票苹果"); };
    // same position, so the position does not part them, and the sheet says so with its number
    CHECK(c().table("stages").row("+ position").number(0) == doctest::Approx(1));
    CHECK(
        has(in_chinese([&] { return sheet_as_markdown(c(), {}); }), "加上位置编码后，余弦 1.0000"));
}
