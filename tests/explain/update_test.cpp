#include "explain/update.h"

#include <doctest/doctest.h>

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
    CHECK(close(u.new_m, -0.025, 1e-8));
    CHECK(close(u.new_v, 0.000625, 1e-9));
    CHECK(close(u.m_hat, -0.25, 1e-7));
    CHECK(close(u.v_hat, 0.0625, 1e-7));
    CHECK(close(u.push, -1e-3, 1e-9));
    CHECK(close(u.pull, 1e-3 * 0.1 * 0.5, 1e-12));
    CHECK(close(u.new_value, 0.5 - u.pull - u.push, 1e-7));
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
