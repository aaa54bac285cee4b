#include "explain/why.h"

#include <doctest/doctest.h>

#include "base/check.h"
#include "model/parameters.h"
#include "support/close.h"
#include "support/worked_fixture.h"

using namespace zhuyi;

TEST_CASE("why: the parts add up to the answer's logit, with every position encoding") {
    for (const Position position : kPositions) {
        WorkedFixture fixture(position);
        const WorkedWhy why = worked_why(fixture.model(), fixture.ids("吃了一个苹果"), {}, -1);
        CHECK(close(why.sum, why.answer.logit, 1e-4));
        CHECK(why.parts.size() == 1 + 2 * (2 + 2) + 1);  // 2 blocks of 2 heads, b_O and FFN
        CHECK(why.rank == 1);                            // at the end of the text: the likeliest
    }
}

TEST_CASE("why: in the middle of a text the answer is its own next token, or the one asked for") {
    WorkedFixture fixture;
    const std::vector<Token> ids = fixture.ids("吃了一个苹果");
    const WorkedWhy why = worked_why(fixture.model(), ids, {0, 0, 2}, -1);
    CHECK(why.answer.name == "个");
    REQUIRE(why.effects.size() == 3);
    const Token apple = fixture.ids("果")[0];
    CHECK(worked_why(fixture.model(), ids, {0, 0, 2}, apple).answer.token == apple);
    CHECK_THROWS_AS(worked_why(fixture.model(), ids, {0, 0, 6}, -1), UsageError);

    // After the last block nothing is left to do: the guess is the model's own.
    REQUIRE(why.lens.size() == 3);
    CHECK(close(why.lens.back().probability, why.answer.probability, 1e-5));
    CHECK(why.lens.back().rank == why.rank);
}

TEST_CASE("why: the effect of a character is the fall of ln p with another one in its stead") {
    WorkedFixture fixture;
    const std::vector<Token> ids = fixture.ids("吃了一个苹果");
    const WorkedWhy why = worked_why(fixture.model(), ids, {}, -1);
    std::vector<Token> changed = ids;
    changed[1] = fixture.ids(why.effects[1].neutral)[0];
    const WorkedWhy other = worked_why(fixture.model(), changed, {}, why.answer.token);
    CHECK(close(why.effects[1].replaced,
                std::log(why.answer.probability / other.answer.probability), 1e-5));
    CHECK(why.effects.back().cut == 0);  // nobody looks at it from later positions
}

TEST_CASE("why: what no head looks at may be cut away") {
    // With W_V and b_V zero attention adds the same wherever it looks.
    WorkedFixture fixture;
    for (const Parameter& p : fixture.gpt.parameters.table())
        if (p.name.ends_with("W_V") || p.name.ends_with("b_V"))
            for (Real& w : fixture.gpt.parameters.value(p)) w = 0;
    const WorkedWhy why = worked_why(fixture.model(), fixture.ids("吃了一个苹果"), {}, -1);
    for (const WorkedWhy::Effect& effect : why.effects) CHECK(close(effect.cut, 0, 1e-6));
    CHECK(close(why.effects[0].replaced, 0, 1e-6));  // only the query itself is left
    CHECK(std::abs(why.effects.back().replaced) > 1e-3);
}
