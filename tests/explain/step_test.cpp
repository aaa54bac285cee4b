#include "explain/step.h"

#include <doctest/doctest.h>

#include <cmath>

#include "formats/sheet_format.h"
#include "model/parameters.h"
#include "support/close.h"
#include "support/has.h"
#include "support/worked_fixture.h"
#include "text/batches.h"
#include "text/corpus.h"
#include "train/config.h"
#include "train/optimizer.h"

using namespace zhuyi;

namespace {

const char* const kText = "小沈阳江西演唱会，吃了一个苹果，股票是苹果，小沈阳吃了一个苹果";

struct OneStep {
    WorkedFixture fixture;
    std::vector<Token> text = fixture.ids(kText);
    WorkedStep step;
    explicit OneStep(Index passes = 1) {
        fixture.training.accumulate = passes;
        step = worked_step(fixture.running(), text);
    }
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
    CHECK(one.step.report.step == 21);
    CHECK(one.step.report.loss == report.loss);
    CHECK(one.step.report.gradient_norm == report.gradient_norm);
    CHECK(std::ranges::equal(one.fixture.gpt.parameters.values(), other.gpt.parameters.values()));
}

TEST_CASE("worked step: distances are those between before and after") {
    OneStep one;
    WorkedFixture before;
    const auto moved = [&](const char* name) {
        return distance(Grid(before.gpt.parameters.tensor(name)).values,
                        Grid(one.fixture.gpt.parameters.tensor(name)).values);
    };
    REQUIRE(one.step.blocks.size() == 10);  // 2 blocks × (W_Q, W_K, W_V, W_O, FFN)
    CHECK(one.step.blocks[5].name.english == "W_Q");
    CHECK(one.step.blocks[5].block == 1);
    CHECK(close(one.step.blocks[5].moved, moved("block.1.attention.W_Q"), 1e-9));
    CHECK(close(one.step.blocks[4].moved,
                std::hypot(moved("block.0.ffn.W_1"), moved("block.0.ffn.W_2")), 1e-9));
    for (const WorkedStep::Part& part : one.step.blocks) CHECK(part.moved > 0);
    double squares = 0;
    for (const WorkedStep::Row& row : one.step.rows) squares += row.moved * row.moved;
    CHECK(close(std::sqrt(squares), moved("embedding.token"), 1e-6));
    CHECK(one.step.loss_after < one.step.loss_before);
}

TEST_CASE("worked step: its words fit the optimizer") {
    const auto words = [](UpdateRule rule) {
        WorkedFixture fixture(Position::learned, rule);
        const std::vector<Token> text = fixture.ids(kText);
        const Sheet sheet = step_sheet(worked_step(fixture.running(), text));
        return sheet_as_markdown(sheet, {});
    };
    CHECK(has(words(UpdateRule::adamw), "The size of AdamW's step"));
    CHECK(has(words(UpdateRule::muon), "Muon moves a matrix"));
}

TEST_CASE("worked step: tokens of the batch are counted, and their places shown") {
    OneStep one;
    Index inputs = 0, targets = 0;
    for (std::size_t i = 0; i < one.step.rows.size(); ++i) {
        const WorkedStep::Row& row = one.step.rows[i];
        inputs += row.inputs, targets += row.targets;
        CHECK((row.inputs > 0) == (row.from_inputs > 0));
        CHECK((row.inputs > 0) == (row.example.find("[" + row.name + "]") != std::string::npos));
        if (i > 0) CHECK(row.moved <= one.step.rows[i - 1].moved);
    }
    CHECK(inputs == 16);
    CHECK(targets == 16);
    CHECK(one.step.texts.size() == 2);
}
