#include "explain/token_step.h"

#include <doctest/doctest.h>

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

    WorkedTokenSteps on_batches() {
        const WorkedTraining training = fixture.running();
        return worked_token_steps(training, wish,
                                  [&](Index step) { return draw_windows(training, text, step); });
    }
    WorkedTokenSteps on_text() {
        wish.on_text = true;
        fixture.training.batch = 1;
        return worked_token_steps(fixture.running(), wish,
                                  [&](Index) { return windows_of(wish.text); });
    }
};

}  // namespace

TEST_CASE("steps of a token: they are the steps that training makes") {
    TokenSteps some;
    const WorkedTokenSteps s = some.on_batches();
    WorkedFixture other;
    other.running();
    Tape tape(true);
    Batches batches(some.text, other.training, 8);
    for (Index step = 20; step < 23; ++step)
        update(other.gpt.model, other.gpt.parameters, *other.optimizer, tape, other.training, step,
               batches.of_step(step));
    CHECK(std::ranges::equal(some.fixture.gpt.parameters.values(), other.gpt.parameters.values()));
    CHECK(s.updates.back().report.step == 23);
    const Grid E(other.gpt.parameters.tensor("embedding.token"));
    CHECK(s.E.rows == 4);
    CHECK(std::ranges::equal(s.E.row(3), E.row(some.wish.text[0])));
    const Grid W_Q(other.gpt.parameters.tensor("block.1.attention.W_Q"));
    CHECK(s.W_Q.at(3, 0) == W_Q.at(s.channel, s.W_Q.columns));  // head 1's first column
}

TEST_CASE("steps of a token: the parts of each ΔE add up to it") {
    for (const bool on_text : {false, true}) {
        CAPTURE(on_text);
        TokenSteps some;
        const WorkedTokenSteps s = on_text ? some.on_text() : some.on_batches();
        const auto check = [](const WorkedTokenSteps::Parts& p, const Numbers& moved) {
            Numbers sum = p.read;
            for (std::size_t c = 0; c < sum.size(); ++c)
                sum[c] += p.output[c] + p.before[c] + p.decay[c];
            CHECK(distance(sum, moved) < 2e-4 * length(moved));  // weights are rounded to floats
        };
        for (const WorkedTokenSteps::Update& u : s.updates) check(u.parts, u.moved);
        check(s.all, s.moved);
        CHECK(length(s.all.read) > 0);
        CHECK(length(s.all.output) > 0);
        CHECK(length(s.all.before) > 0);
    }
}

TEST_CASE("steps of a token: on a text alone, that text becomes likelier") {
    TokenSteps some;
    some.fixture.gpt.parameters.initialise(4);
    const WorkedTokenSteps s = some.on_text();
    REQUIRE(s.answer == some.wish.text[1]);
    CHECK(s.next.at(3, 0) > s.next.at(0, 0));
    CHECK(s.updates[0].inputs == 1);  // 小 is read once and never to be predicted
    CHECK(s.updates[0].targets == 0);
    CHECK(s.asker == 2);  // 小 stands first and sees only itself
    for (Index n = 0; n <= 3; ++n) {
        double sum = 0;
        for (const double weight : s.attention.row(n)) sum += weight;
        CHECK(close(sum, 1, 1e-5));
    }
}

TEST_CASE("steps of a token: the sheet, in both languages") {
    TokenSteps some;
    const Sheet tied = token_sheet(some.on_batches(), some.fixture.tokenizer);
    CHECK(has(sheet_as_markdown(tied, {}), "which uses the same table"));
    CHECK(has(sheet_as_terminal(tied, {.language = Language::chinese}), "更新前"));
}
