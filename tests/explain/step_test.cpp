#include "explain/step.h"

#include <doctest/doctest.h>

#include <cmath>

#include "formats/sheet_format.h"
#include "model/parameters.h"
#include "support/close.h"
#include "support/has.h"
#include "support/worked_fixture.h"
#include "text/corpus.h"
#include "text/tokenized.h"
#include "train/config.h"
#include "train/optimizer.h"

using namespace zhuyi;

namespace {

const char* const kText = "小沈阳江西演唱会，吃了一个苹果，股票是苹果，小沈阳吃了一个苹果";

struct OneStep {
    WorkedFixture fixture;
    std::vector<Token> text = fixture.ids(kText);
    Sheet sheet;
    explicit OneStep(Index passes = 1) {
        fixture.training.accumulate = passes;
        sheet = step_sheet(fixture.running(), text);
    }
    Token token(const std::string& name) const {
        for (Token each = 0; each < fixture.tokenizer.size(); ++each)
            if (fixture.tokenizer.name(each) == name) return each;
        return -1;
    }
    double number(const char* label) const { return sheet.table("step").row(label).number(); }
};

}  // namespace

TEST_CASE("worked step: it is the step that training makes") {
    OneStep one(2);
    WorkedFixture other;
    other.training.accumulate = 2;
    other.running();
    Tape tape(true);
    Batches batches(one.text, other.training, 8);
    const StepReport report = update(other.gpt.model, other.gpt.parameters, *other.optimizer, tape,
                                     other.training, 20, batches.of_step(20));
    CHECK(one.sheet.title == "One training step: 20 → 21");
    CHECK(one.number("loss in the step") == report.loss);
    CHECK(one.number("gradient norm") == report.gradient_norm);
    CHECK(std::ranges::equal(one.fixture.gpt.parameters.values(), other.gpt.parameters.values()));
}

TEST_CASE("worked step: distances are those between before and after") {
    OneStep one;
    WorkedFixture before;
    const auto both = [&](const char* name) {
        return std::pair(Grid(before.gpt.parameters.tensor(name)),
                         Grid(one.fixture.gpt.parameters.tensor(name)));
    };
    const auto moved = [&](const char* name) {
        return distance(both(name).first.values, both(name).second.values);
    };
    const Sheet::Table& blocks = one.sheet.table("blocks", "moved");
    CHECK(blocks.grid().shape() == Shape{2, 5});  // W_Q, W_K, W_V, W_O, FFN
    CHECK(blocks.columns[0] == "W_Q");
    CHECK(close(blocks.row("block 1").number(0), moved("block.1.attention.W_Q"), 1e-9));
    CHECK(close(blocks.row("block 0").number(4),
                std::hypot(moved("block.0.ffn.W_1"), moved("block.0.ffn.W_2")), 1e-9));
    for (const double part : blocks.grid().values) CHECK(part > 0);
    const auto [old, now] = both("embedding.token");
    for (const Sheet::Row& row : one.sheet.table("rows").rows) {
        const Token token = one.token(row.label);
        CHECK(close(row.number(0), distance(old.row(token), now.row(token)), 1e-12));
    }
    CHECK(one.number("loss after") < one.number("loss before"));
}

TEST_CASE("worked step: its words fit the optimizer") {
    const auto words = [](UpdateRule rule) {
        WorkedFixture fixture(Position::learned, rule);
        const std::vector<Token> text = fixture.ids(kText);
        return sheet_as_markdown(step_sheet(fixture.running(), text), {});
    };
    CHECK(has(words(UpdateRule::adamw), "The size of AdamW's step"));
    CHECK(has(words(UpdateRule::muon), "Muon moves a matrix"));
}

TEST_CASE("worked step: tokens of the batch are counted, and their places shown") {
    OneStep one;
    WorkedFixture other;
    const Windows windows = draw_windows(other.running(), one.text, 20);
    const Sheet::Table& rows = one.sheet.table("rows");
    REQUIRE(rows.rows.size() == 15);
    for (Index i = 0; i < 15; ++i) {
        const Sheet::Row& row = rows.row(i);
        const Token token = one.token(row.label);
        CHECK(row.number(2) == double(std::ranges::count(windows.ids[0], token)));
        CHECK(row.number(3) == double(std::ranges::count(windows.targets[0], token)));
        CHECK((row.number(2) > 0) == (row.number(4) > 0));
        CHECK((row.number(2) > 0) == has(row.words(6), "[" + row.label + "]"));
        if (i > 0) CHECK(row.number(0) <= rows.row(i - 1).number(0));
    }
    CHECK(one.sheet.table("batch").rows.size() == 2);
}
