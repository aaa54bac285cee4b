#include "train/optimizer.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/check.h"
#include "base/parallel.h"
#include "kernels/kernels.h"
#include "model/parameters.h"
#include "support/close.h"
#include "support/tiny_gpt.h"
#include "train/config.h"

using namespace zhuyi;

// One weight by hand. Gradient 2, first step: m = 0.1 · 2 = 0.2, v = 0.01 · 4 = 0.04; corrected m̂
// = 2, v̂ = 4, so the step is the learning rate times 2/√4 = 1, and decay takes 0.1 · 0.5 · w.
TEST_CASE("adamw: the first step by pencil") {
    Real w = 3, g = 2, m = 0, v = 0;
    AdamWStep step{0.1, 0.9, 0.99, 0, 0.5, 1, 1};
    kernels().adamw(&w, &g, &m, &v, 1, step);
    CHECK(close(m, 0.2, 1e-7));
    CHECK(close(v, 0.04, 1e-7));
    CHECK(close(w, 3 - 0.1 * 0.5 * 3 - 0.1, 1e-6));
    // Second step, same gradient: the corrected moments are the same, so is the step.
    step.step = 2;
    kernels().adamw(&w, &g, &m, &v, 1, step);
    CHECK(close(w, 2.75 - 0.1 * 0.5 * 2.75 - 0.1, 1e-6));
}

TEST_CASE("adamw: decay acts on matrices only, and nothing moves a frozen row") {
    auto table = parameter_table(tiny_config());
    freeze(table, "block.0");
    Parameters parameters(table, true);
    parameters.initialise(1);
    for (Real& x : parameters.values()) x += Real(1);
    const std::vector<Real> before(parameters.values().begin(), parameters.values().end());
    parameters.forget_gradients();
    parameters.settle_gradients();  // all gradients zero: only decay can move anything
    TrainConfig config;
    make_optimizer(parameters.table(), config)->update(parameters, {1, 0.5});
    for (const Parameter& p : parameters.table()) {
        const Real moved = before[std::size_t(p.offset)] - parameters.value(p)[0];
        CHECK_MESSAGE((moved != 0) == (p.decay && !p.frozen), p.name);
    }
}

TEST_CASE("clip: scales down to the limit, never up, and 0 is no limit") {
    CHECK(clip_scale(5, 1) == 0.2);
    CHECK(clip_scale(0.5, 1) == 1);
    CHECK(clip_scale(5, 0) == 1);
}

TEST_CASE("gradient norm: a 3-4-5 triangle over two parameters, frozen ones left out") {
    auto table = parameter_table(tiny_config());
    freeze(table, "ffn");
    Parameters parameters(table, true);
    Workspace workspace;
    parameters.tensor("block.0.attention.W_Q").gradient->data[7] = 3;
    parameters.tensor("final_norm.beta").gradient->data[0] = -4;
    for (const Parameter& p : parameters.table())
        if (p.frozen) parameters.grad(p)[0] = 100;
    CHECK(close(gradient_norm(parameters, workspace), 5, 1e-6));
}

TEST_CASE("schedule: climbs to the peak, falls along half a cosine, stays at the end") {
    TrainConfig c;
    c.learning_rate = 1, c.min_learning_rate = 0.2, c.warmup = 9, c.steps = 109;
    CHECK(close(learning_rate(0, c), 0.1, 1e-12));
    CHECK(close(learning_rate(8, c), 0.9, 1e-12));
    CHECK(close(learning_rate(9, c), 1, 1e-12));
    CHECK(close(learning_rate(59, c), 0.6, 1e-12));  // halfway: the mean of both ends
    CHECK(close(learning_rate(109, c), 0.2, 1e-12));
    CHECK(close(learning_rate(5000, c), 0.2, 1e-12));
    c.min_learning_rate = -1;
    CHECK(close(learning_rate(109, c), 0.1, 1e-12));
}

TEST_CASE("schedule: a training that is all warm-up ends without a cosine of no length") {
    TrainConfig c;
    c.learning_rate = 1, c.min_learning_rate = 0.2, c.warmup = 10, c.steps = 10;
    CHECK(close(learning_rate(9, c), 10.0 / 11, 1e-12));
    CHECK(close(learning_rate(10, c), 0.2, 1e-12));
}

TEST_CASE("schedule: a line down to 0, and wsd falls over the last quarter") {
    TrainConfig c;
    c.learning_rate = 1, c.warmup = 20, c.steps = 120;
    c.schedule = Schedule::linear;
    CHECK(close(learning_rate(20, c), 1, 1e-12));
    CHECK(close(learning_rate(45, c), 0.75, 1e-12));
    CHECK(close(learning_rate(119, c), 0.01, 1e-12));
    CHECK(learning_rate(120, c) == 0);
    c.schedule = Schedule::wsd;
    CHECK(learning_rate(20, c) == 1);
    CHECK(learning_rate(90, c) == 1);
    CHECK(close(learning_rate(105, c), 0.5, 1e-12));
    c.min_learning_rate = 0.2;
    CHECK(close(learning_rate(105, c), 0.6, 1e-12));
    CHECK(close(learning_rate(120, c), 0.2, 1e-12));
}

TEST_CASE("schedule: follows the newest plan") {
    TrainConfig c;
    c.learning_rate = 1, c.warmup = 0, c.schedule = Schedule::linear;
    c.plan = "0:100, 50:200", c.steps = 200;
    CHECK(close(learning_rate(49, c), 0.51, 1e-12));
    CHECK(close(learning_rate(50, c), 0.75, 1e-12));
    CHECK(planned_steps(49, plans_of(c)) == 100);
    CHECK(planned_steps(199, plans_of(c)) == 200);
    c.steps = 400;  // lengthened: the last plan's steps are those of the configuration
    CHECK(close(learning_rate(200, c), 0.5, 1e-12));
    CHECK(text_of(plans_of(c)) == "0:100, 50:400");
    for (const char* broken : {"5:100", "0:100, 0:200", "0:100, 50", "x", "0:100, 50:40", "0:0"}) {
        c.plan = broken;
        CHECK_THROWS_AS(plans_of(c), UsageError);
    }
}

TEST_CASE("optimizer: measures an update when it is asked to, and then no more") {
    TinyGpt gpt;
    const auto optimizer = make_optimizer(gpt.parameters.table(), TrainConfig{});
    const Out grads = gpt.parameters.grads();
    std::fill(grads.begin(), grads.end(), Real(1));
    optimizer->update(gpt.parameters, {1, 0.5});
    CHECK(optimizer->measured_update().empty());
    const std::vector<Real> before(gpt.parameters.values().begin(), gpt.parameters.values().end());
    optimizer->measure_next_update();
    optimizer->update(gpt.parameters, {2, 0.5});
    const std::vector<UpdateSize> measured = optimizer->measured_update();
    const std::vector<Parameter>& table = gpt.parameters.table();
    REQUIRE(measured.size() == table.size());
    for (std::size_t row = 0; row < table.size(); ++row) {
        const Out now = gpt.parameters.value(table[row]);
        double moved = 0, length = 0;
        for (std::size_t i = 0; i < now.size(); ++i) {
            const double w = double(before[std::size_t(table[row].offset) + i]);
            moved += (double(now[i]) - w) * (double(now[i]) - w), length += w * w;
        }
        CHECK(close(measured[row].moved, std::sqrt(moved), 0, 1e-12));
        CHECK(close(measured[row].before, std::sqrt(length), 0, 1e-12));
    }
    optimizer->update(gpt.parameters, {3, 0.5});
    CHECK(optimizer->measured_update()[0].moved == measured[0].moved);
}

TEST_CASE("optimizer: names what it remembers, nothing of frozen rows, and tells its memory") {
    auto table = parameter_table(tiny_config());
    freeze(table, "ffn");
    const Rules rules = make_rules(TrainConfig{});
    const auto optimizer = make_optimizer(table, TrainConfig{});
    for (const Parameter& p : table) {
        const auto state = optimizer->state_of(p);
        const std::vector<std::string> names = state_names(rules, p);
        REQUIRE(state.size() == names.size());
        CHECK(state.empty() == p.frozen);
        for (std::size_t i = 0; i < state.size(); ++i) {
            CHECK(state[i].name == names[i]);
            CHECK(Index(state[i].values.size()) == p.shape.size());
        }
    }
    CHECK(state_names(rules, table.front()) ==
          std::vector<std::string>{"adam.m.embedding.token", "adam.v.embedding.token"});
    Index numbers = 0;  // each array begins on a cache line
    for (const Parameter& p : table)
        numbers += p.frozen ? 0 : 2 * ((p.shape.size() + 15) / 16 * 16);
    CHECK(state_length(rules, table) == numbers);
}

TEST_CASE(
    "schedule: evaluations are dense at first, then every eval_every steps, then at the end") {
    TrainConfig config;
    config.eval_every = 50, config.steps = 120;
    std::vector<Index> due;
    for (Index step = 0; step <= config.steps; ++step)
        if (evaluation_due(step, config)) due.push_back(step);
    CHECK((due == std::vector<Index>{0, 1, 3, 10, 30, 50, 100, 120}));
    CHECK(early_evaluations(config) == 4);
    config.eval_every = 1;
    CHECK(early_evaluations(config) == 0);
}
