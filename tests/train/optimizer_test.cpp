#include "train/optimizer.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/parallel.h"
#include "support/close.h"
#include "support/tiny_gpt.h"
#include "train/schedule.h"

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
    adamw(parameters, config, 0.5, 1, 1);
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
