#include "explain/update.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "model/parameters.h"
#include "support/close.h"
#include "support/worked_fixture.h"
#include "train/config.h"
#include "train/optimizer.h"

using namespace zhuyi;

namespace {

const WorkedEntry kEntry{"block.0.attention.W_Q", 0, 5};

}  // namespace

TEST_CASE("worked update: AdamW by hand") {
    // β1 = 0.9, β2 = 0.99, first step, no clipping: m = 0.1 g, v = 0.01 g², m̂ = g, v̂ = g²,
    // so the step is η g / (|g| + ε) = ±η, and decay takes η λ w.
    WorkedFixture fixture;
    Parameters& parameters = fixture.gpt.parameters;
    parameters.tensor(kEntry.parameter).value[5] = Real(0.5);
    TrainConfig config;
    config.clip = 0, config.warmup = 0, config.steps = 10;
    for (const Parameter& p : parameters.table())
        if (p.name == kEntry.parameter) parameters.grad(p)[5] = Real(-0.25);
    const WorkedUpdate u =
        worked_update({fixture.model(), *fixture.optimizer, config, 0}, kEntry, 0.25);
    CHECK(close(u.g, -0.25, 1e-12));
    const WorkedAdamW& adamw = std::get<WorkedAdamW>(u.rule);
    CHECK(close(adamw.new_m, -0.025, 1e-8));
    CHECK(close(adamw.new_v, 0.000625, 1e-9));
    CHECK(close(adamw.m_hat, -0.25, 1e-7));
    CHECK(close(adamw.v_hat, 0.0625, 1e-7));
    CHECK(close(u.push, -1e-3, 1e-9));
    CHECK(close(u.pull, 1e-3 * 0.1 * 0.5, 1e-12));
    CHECK(close(u.new_value, 0.5 - u.pull - u.push, 1e-7));
}

// W_Q (12, 12) has the gradient diag(3, 1, 0, …, 0), and m = 0: μ = 0.95 gives m = 0.05 g and
// u = 0.95 · 0.05 g + 0.05 g = 0.0975 g, with the singular values 0.2925, 0.0975 and ten times 0.
TEST_CASE("worked update: Muon by hand") {
    WorkedFixture fixture(Position::learned, UpdateRule::muon);
    Parameters& parameters = fixture.gpt.parameters;
    const WorkedEntry entry{kEntry.parameter, 1, 1};
    const Tensor W_Q = parameters.tensor(entry.parameter);
    W_Q.value[13] = Real(0.5);
    for (const Parameter& p : parameters.table())
        if (p.name == entry.parameter)
            parameters.grad(p)[0] = Real(3), parameters.grad(p)[13] = Real(1);
    TrainConfig config = fixture.training;
    config.clip = 0, config.warmup = 0;
    const WorkedTraining training{fixture.model(), *fixture.optimizer, config, 0};
    const WorkedUpdate u = worked_update(training, entry, 0.25);
    const WorkedMuon& muon = std::get<WorkedMuon>(u.rule);
    CHECK(close(muon.new_m, 0.05, 1e-8));
    CHECK(close(muon.u, 0.0975, 1e-8));
    REQUIRE(muon.directions.size() == 12);
    CHECK(close(muon.directions[0].size, 0.2925, 1e-7));
    CHECK(close(muon.directions[1].size, 0.0975, 1e-7));
    CHECK(muon.directions[2].size == 0);
    CHECK(close(muon.directions[1].other, muon.O, 1e-6));  // O is diagonal too
    CHECK((muon.O > 0.71 && muon.O < 1.29));
    CHECK(close(muon.scale, 0.2 * std::sqrt(12.0), 1e-12));
    CHECK(close(u.pull, 1e-3 * 0.1 * 0.5, 1e-12));
    CHECK(close(u.push, 1e-3 * muon.scale * double(muon.O), 1e-9));
    CHECK(close(u.new_value, 0.5 - u.pull - u.push, 1e-7));
    // The optimizer itself moves all of W_Q to the same bits.
    fixture.optimizer->update(parameters, {1, config.learning_rate});
    CHECK(std::ranges::equal(u.new_values, std::span(W_Q.value, 144)));
}

TEST_CASE("worked update: what is frozen does not move") {
    const WorkedFixture fixture;
    std::vector<Parameter> table = parameter_table(fixture.gpt.config);
    freeze(table, "attention");
    Parameters parameters(std::move(table), true);
    Gpt model(fixture.gpt.config, parameters);
    const auto optimizer = make_optimizer(parameters.table(), fixture.training);
    const WorkedUpdate u = worked_update(
        {{model, parameters, fixture.tokenizer}, *optimizer, fixture.training, 0}, kEntry, 1);
    CHECK(u.frozen);
    CHECK(u.new_value == u.value);
}
