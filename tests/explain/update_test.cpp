#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "explain/backward.h"
#include "model/parameters.h"
#include "support/close.h"
#include "support/has.h"
#include "support/worked_fixture.h"
#include "train/config.h"
#include "train/optimizer.h"

using namespace zhuyi;

namespace {

const Weight kWeight{"block.0.attention.W_Q", 0, 5, "W_Q[0,5]"};

// The lines of one weight, and the new values of its parameter.
struct Written {
    Sheet sheet{};
    std::vector<Real> values;

    Written(const WorkedTraining& training, const Weight& weight, double norm) {
        sheet.section("update", "");
        values = write_weight(sheet, training, weight, norm);
    }
    double line(const char* rule, const char* label) const {
        return sheet.table("update", rule).row(label).number();
    }
};

}  // namespace

TEST_CASE("worked update: AdamW by hand") {
    // β1 = 0.9, β2 = 0.99, first step, no clipping: m = 0.1 g, v = 0.01 g², m̂ = g, v̂ = g²,
    // so the step is η g / (|g| + ε) = ±η, and decay takes η λ w.
    WorkedFixture fixture;
    Parameters& parameters = fixture.gpt.parameters;
    parameters.tensor(kWeight.parameter).value[5] = Real(0.5);
    TrainConfig config;
    config.clip = 0, config.warmup = 0, config.steps = 10;
    for (const Parameter& p : parameters.table())
        if (p.name == kWeight.parameter) parameters.grad(p)[5] = Real(-0.25);
    const Written u({fixture.model(), *fixture.optimizer, config, 0}, kWeight, 0.25);
    const auto line = [&](const char* label) { return u.line("adamw", label); };
    CHECK(close(line("g = gradient · 1"), -0.25, 1e-12));
    CHECK(close(line("m = 0.9 m + 0.1 g"), -0.025, 1e-8));
    CHECK(close(line("v = 0.99 v + 0.01 g²"), 0.000625, 1e-9));
    CHECK(close(line("m̂ = m / (1 - β1^1) = m / 0.1"), -0.25, 1e-7));
    CHECK(close(line("v̂ = v / (1 - β2^1) = v / 0.01"), 0.0625, 1e-7));
    const double pull = line("η λ w = 0.001 · 0.1 · w"), push = line("η m̂ / (√v̂ + ε)");
    CHECK(close(push, -1e-3, 1e-9));
    CHECK(close(pull, 1e-3 * 0.1 * 0.5, 1e-12));
    CHECK(close(line("w - η λ w - η m̂ / (√v̂ + ε)"), 0.5 - pull - push, 1e-7));
    CHECK(double(u.values[5]) == line("w - η λ w - η m̂ / (√v̂ + ε)"));
}

// W_Q (12, 12) has the gradient diag(3, 1, 0, …, 0), and m = 0: μ = 0.95 gives m = 0.05 g and
// u = 0.95 · 0.05 g + 0.05 g = 0.0975 g, with the singular values 0.2925, 0.0975 and ten times 0.
TEST_CASE("worked update: Muon by hand") {
    WorkedFixture fixture(Position::learned, UpdateRule::muon);
    Parameters& parameters = fixture.gpt.parameters;
    const Weight weight{kWeight.parameter, 1, 1, "W_Q[1,1]"};
    const Tensor W_Q = parameters.tensor(weight.parameter);
    W_Q.value[13] = Real(0.5);
    for (const Parameter& p : parameters.table())
        if (p.name == weight.parameter)
            parameters.grad(p)[0] = Real(3), parameters.grad(p)[13] = Real(1);
    TrainConfig config = fixture.training;
    config.clip = 0, config.warmup = 0;
    const Written u({fixture.model(), *fixture.optimizer, config, 0}, weight, 0.25);
    const auto line = [&](const char* label) { return u.line("muon", label); };
    CHECK(close(line("m = 0.95 m + 0.05 g"), 0.05, 1e-8));
    CHECK(close(line("u = 0.95 m + 0.05 g"), 0.0975, 1e-8));
    const Sheet::Table& directions = u.sheet.table("update", "directions");  // nine of the twelve
    CHECK(close(directions.row("1").number(0), 0.2925, 1e-7));
    CHECK(close(directions.row("2").number(0), 0.0975, 1e-7));
    CHECK(directions.row("3").number(0) == 0);
    const double O = line("O, from all of u (below)");
    CHECK(close(directions.row("2").number(2), O, 1e-6));  // O is diagonal too
    CHECK((O > 0.71 && O < 1.29));
    const double pull = line("η λ w = 0.001 · 0.1 · w");
    const double push = line("η · 0.2 √max(in, out) · O = 0.001 · 0.69282 · O");
    CHECK(close(pull, 1e-3 * 0.1 * 0.5, 1e-12));
    CHECK(close(push, 1e-3 * 0.2 * std::sqrt(12.0) * O, 1e-9));
    CHECK(close(double(u.values[13]), 0.5 - pull - push, 1e-7));
    // The optimizer itself moves all of W_Q to the same bits.
    fixture.optimizer->update(parameters, {1, config.learning_rate});
    CHECK(std::ranges::equal(u.values, std::span(W_Q.value, 144)));
}

TEST_CASE("worked update: what is frozen does not move") {
    const WorkedFixture fixture;
    std::vector<Parameter> table = parameter_table(fixture.gpt.config);
    freeze(table, "attention");
    Parameters parameters(std::move(table), true);
    Gpt model(fixture.gpt.config, parameters);
    const auto optimizer = make_optimizer(parameters.table(), fixture.training);
    const Written u({{model, parameters, fixture.tokenizer}, *optimizer, fixture.training, 0},
                    kWeight, 1);
    CHECK(has(u.sheet.at("update").paragraph(0).text, "W_Q[0,5] is frozen"));
    CHECK(std::ranges::equal(u.values, parameters.tensor(kWeight.parameter).values()));
}
