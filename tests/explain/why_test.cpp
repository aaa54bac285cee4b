#include <doctest/doctest.h>

#include <cmath>

#include "base/check.h"
#include "explain/forward.h"
#include "model/parameters.h"
#include "support/close.h"
#include "support/has.h"
#include "support/worked_fixture.h"

using namespace zhuyi;

namespace {

// ln p(answer) after all of these tokens, by the model itself.
double log_p(WorkedFixture& fixture, const std::vector<Token>& ids, Token answer) {
    const Reading r = read(fixture.model(), ids, {});
    return log_probability(r.at_query("logits"), answer);
}

}  // namespace

TEST_CASE("why: the parts add up to the answer's logit, with every position encoding") {
    for (const Position position : kPositions) {
        WorkedFixture fixture(position);
        const std::vector<Token> ids = fixture.ids("吃了一个苹果");
        const Sheet why = why_sheet(fixture.model(), ids, {}, -1);
        const Numbers logits = read(fixture.model(), ids, {}).at_query("logits");
        CHECK(close(why.table("parts", "sum").row("together").number(), logits[largest(logits)],
                    1e-4));
        const Grid parts = why.table("parts").grid();
        CHECK(parts.shape() == Shape{2, 2 + 2});  // 2 blocks of 2 heads, b_O and FFN
        double blocks = 0;
        for (const double part : parts.values) blocks += part;
        CHECK(close(why.table("parts", "sum").row("all blocks").number(), blocks, 1e-9));
        CHECK(has(why.title, "rank 1"));  // at the end of the text: the likeliest
    }
}

TEST_CASE("why: in the middle of a text the answer is its own next token, or the one asked for") {
    WorkedFixture fixture;
    const std::vector<Token> ids = fixture.ids("吃了一个苹果");
    const Sheet why = why_sheet(fixture.model(), ids, {0, 0, 2}, -1);
    CHECK(has(why.title, "Why 个 after 吃了一?"));
    CHECK(why.table("effects").rows.size() == 3);
    const Token apple = fixture.ids("果")[0];
    CHECK(has(why_sheet(fixture.model(), ids, {0, 0, 2}, apple).title, "Why 果 after"));
    CHECK_THROWS_AS(why_sheet(fixture.model(), ids, {0, 0, 6}, -1), UsageError);

    // After the last block nothing is left to do: the guess is the model's own.
    const std::vector<Token> read_ones(ids.begin(), ids.begin() + 3);
    REQUIRE(why.table("lens").rows.size() == 3);
    const Sheet::Row& last = why.table("lens").row("block 1");
    CHECK(close(last.number(1), std::exp(log_p(fixture, read_ones, ids[3])), 1e-5));
    CHECK(has(why.title, "rank " + last.words(2)));
}

TEST_CASE("why: the effect of a character is the fall of ln p with another one in its place") {
    WorkedFixture fixture;
    const std::vector<Token> ids = fixture.ids("吃了一个苹果");
    const Token answer = fixture.ids("吃")[0];
    const Sheet why = why_sheet(fixture.model(), ids, {}, answer);
    // the most frequent other token that spells something; of equals the first
    const CharacterTokenizer& tokenizer = fixture.tokenizer;
    Token neutral = -1;
    for (Token token = 0; token < tokenizer.size(); ++token)
        if (!tokenizer.bytes(token).empty() && token != ids[1] &&
            (neutral < 0 || tokenizer.count(token) > tokenizer.count(neutral)))
            neutral = token;
    std::vector<Token> changed = ids;
    changed[1] = neutral;
    CHECK(close(why.table("effects").row("1").number(1),
                log_p(fixture, ids, answer) - log_p(fixture, changed, answer), 1e-5));
    // Nobody looks at the last one from later positions.
    CHECK(why.table("effects").row(-1).cells[2].kind == Sheet::Cell::Kind::empty);
}

TEST_CASE("why: what no head looks at may be cut away") {
    // With W_V and b_V zero attention adds the same wherever it looks.
    WorkedFixture fixture;
    for (const Parameter& p : fixture.gpt.parameters.table())
        if (p.name.ends_with("W_V") || p.name.ends_with("b_V"))
            for (Real& w : fixture.gpt.parameters.value(p)) w = 0;
    const Sheet why = why_sheet(fixture.model(), fixture.ids("吃了一个苹果"), {}, -1);
    const Sheet::Table& effects = why.table("effects");
    for (Index s = 0; s < 5; ++s) CHECK(close(effects.row(s).number(2), 0, 1e-6));
    CHECK(close(effects.row(0).number(1), 0, 1e-6));  // only the query itself is left
    CHECK(std::abs(effects.row(-1).number(1)) > 1e-3);
}
