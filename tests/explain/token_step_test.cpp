#include <doctest/doctest.h>

#include "explain/step.h"
#include "formats/sheet_format.h"
#include "model/parameters.h"
#include "support/close.h"
#include "support/has.h"
#include "support/worked_fixture.h"
#include "train/config.h"

using namespace zhuyi;

namespace {

const char* const kTokenText = "小沈阳江西演唱会，吃了一个苹果，股票是苹果，小沈阳吃了一个苹果";

struct TokenSteps {
    WorkedFixture fixture;
    std::vector<Token> text = fixture.ids(kTokenText);
    TokenWish wish{fixture.ids("小沈阳"), {1, 1, 0}, 3};

    Sheet on_batches() {
        const WorkedTraining training = fixture.running();
        return token_sheet(training, wish,
                           [&](Index step) { return draw_windows(training, text, step); });
    }
    Sheet on_text() {
        wish.on_text = true;
        fixture.training.batch = 1;
        return token_sheet(fixture.running(), wish, [&](Index) { return windows_of(wish.text); });
    }
};

}  // namespace

TEST_CASE("steps of a token: they are the steps that training makes") {
    TokenSteps some;
    const Sheet s = some.on_batches();
    WorkedFixture other, before;
    other.running();
    Tape tape(true);
    Batches batches(some.text, other.training, 8);
    for (Index step = 20; step < 23; ++step)
        update(other.gpt.model, other.gpt.parameters, *other.optimizer, tape, other.training, step,
               batches.of_step(step));
    CHECK(std::ranges::equal(some.fixture.gpt.parameters.values(), other.gpt.parameters.values()));
    CHECK(s.table("updates").row(-1).number(0) == 23);
    const Grid E(other.gpt.parameters.tensor("embedding.token"));
    CHECK(s.table("embedding", "E").rows.size() == 4);
    CHECK(s.table("embedding", "E").row("after 3").numbers() == E.row_copy(some.wish.text[0]));
    // head 1 has the right half of W_Q; the row that moved most is shown
    const auto half = [](WorkedFixture& f) {
        return columns_of(Grid(f.gpt.parameters.tensor("block.1.attention.W_Q")), 6, 6);
    };
    const Grid was = half(before), is = half(other);
    Numbers moved;
    for (Index r = 0; r < 12; ++r) moved.push_back(distance(was.row(r), is.row(r)));
    CHECK(s.table("matrices", "W_Q").row(-1).numbers() == is.row_copy(largest(moved)));
}

TEST_CASE("steps of a token: the parts of each ΔE add up to it") {
    for (const bool on_text : {false, true}) {
        CAPTURE(on_text);
        TokenSteps some;
        const Sheet s = on_text ? some.on_text() : some.on_batches();
        const Sheet::Table& parts = s.table("parts");
        CHECK(parts.rows.size() == 3 + 1);
        for (const Sheet::Row& row : parts.rows) {  // along ΔE; weights are rounded to floats
            const double sum = row.number(0) + row.number(1) + row.number(2) + row.number(3);
            CHECK(close(sum, row.number(4), 2e-4 * row.number(4)));
        }
        const Numbers& lengths = s.at("parts").paragraph(-1).numbers;
        for (Index part = 0; part < 3; ++part) CHECK(lengths[part] > 0);
    }
}

TEST_CASE("steps of a token: on a text alone, that text becomes likelier") {
    TokenSteps some;
    some.fixture.gpt.parameters.initialise(4);
    const Sheet s = some.on_text();
    const Sheet::Table& next = s.table("next", "p");
    CHECK(next.columns[0] == "沈");  // the text's own
    CHECK(next.row(3).number(0) > next.row(0).number(0));
    CHECK(s.table("updates").row(0).number(3) == 1);  // 小 is read once and never to be predicted
    CHECK(s.table("updates").row(0).number(4) == 0);
    const Grid attention = s.table("attention").grid();
    CHECK(attention.columns == 3);  // 小 stands first and sees only itself: the last one's row
    for (Index n = 0; n <= 3; ++n) {
        double sum = 0;
        for (const double weight : attention.row(n)) sum += weight;
        CHECK(close(sum, 1, 1e-5));
    }
}

TEST_CASE("steps of a token: the sheet, in both languages") {
    TokenSteps some;
    const Sheet tied = some.on_batches();
    CHECK(has(sheet_as_markdown(tied, {}), "which uses the same table"));
    CHECK(has(in_chinese([&] { return sheet_as_terminal(some.on_batches(), {}); }), "更新前"));
}
