#include "explain/worked_backward.h"

#include <doctest/doctest.h>

#include <cmath>

#include "support/close.h"
#include "support/gradcheck.h"
#include "support/worked_fixture.h"
#include "train/optimizer.h"
#include "train/schedule.h"

using namespace zhuyi;

namespace {

constexpr double kNear = 1e-5;

struct Back {
    WorkedFixture fixture;
    std::vector<Token> ids = fixture.ids("小沈阳江小"), targets = fixture.ids("沈阳江小西");
    WorkedBackward b = worked_backward(fixture.running(), ids, targets, {1, 1, 2});
};

}  // namespace

TEST_CASE("worked backward: its gradients are the tape's") {
    Back back;
    WorkedFixture other;  // the same weights
    Tape tape(true);
    other.gpt.parameters.forget_gradients();
    tape.backward(other.gpt.model.loss(tape, back.ids, back.targets, 1, {}).mean);
    other.gpt.parameters.settle_gradients();
    const auto gradient = [&](const char* name) {
        const Tensor x = other.gpt.parameters.tensor(name);
        return Grid({x.gradient->data, std::size_t(x.size())}, x.rows(), x.columns());
    };
    CHECK(back.b.dW_Q.values == columns_of(gradient("block.1.attention.W_Q"), 6, 6).values);
    CHECK(back.b.dW_K.values == columns_of(gradient("block.1.attention.W_K"), 6, 6).values);
    CHECK(back.b.dW_V.values == columns_of(gradient("block.1.attention.W_V"), 6, 6).values);
    CHECK(back.b.dW_O.values == rows_of(gradient("block.1.attention.W_O"), 6, 6).values);
    CHECK(back.b.dE.sum == gradient("embedding.token").row_copy(back.ids[2]));
}

TEST_CASE("worked backward: from p - onehot down to dq, every line follows from the one before") {
    Back back;
    const WorkedBackward& b = back.b;
    const WorkedHead& a = b.forward.attention;
    double mean = 0;
    for (const auto& p : b.predictions) {
        CHECK(close(p.loss, -std::log(p.probability), 1e-4));
        mean += p.loss / 5;
    }
    CHECK(close(b.loss, mean, kNear));
    CHECK(b.logits[0].onehot == 1);  // an untrained model: the target pulls hardest
    for (const auto& g : b.logits) CHECK(close(g.gradient, (g.probability - g.onehot) / 5, kNear));
    for (Index d = 0; d < 6; ++d)
        CHECK(close(b.d_mix[std::size_t(d)], dot(b.d_output, b.W_O.row(d)), kNear));
    double average = 0;
    for (std::size_t s = 0; s < 3; ++s) {
        CHECK(close(b.d_weights[s], dot(b.d_mix, a.V.row(Index(s))), kNear));
        average += a.weights.at(2, Index(s)) * b.d_weights[s];
    }
    for (std::size_t s = 0; s < 3; ++s)
        CHECK(close(b.d_scores[s], a.weights.at(2, Index(s)) * (b.d_weights[s] - average), kNear));
    for (Index d = 0; d < 6; ++d) {
        double dq = 0;
        for (Index s = 0; s < 3; ++s)
            dq += b.d_scores[std::size_t(s)] * a.K.at(s, d) / std::sqrt(6.0);
        CHECK(close(b.d_Q.at(2, d), dq, kNear));
    }
}

TEST_CASE("worked backward: dW_Q = Xᵀ dQ, and the embedding row is the sum of its parts") {
    Back back;
    const WorkedBackward& b = back.b;
    for (Index c = 0; c < 12; ++c)
        for (Index d = 0; d < 6; ++d) {
            double sum = 0;
            for (Index t = 0; t < 5; ++t) sum += b.forward.norm_1_rows.at(t, c) * b.d_Q.at(t, d);
            CHECK(close(b.dW_Q.at(c, d), sum, kNear));
        }
    CHECK(close(dot(b.entry_x, b.entry_dQ), b.dW_Q.at(b.W_Q.row, b.W_Q.column - 6), kNear));
    WorkedFixture again;
    const WorkedBackward twice =
        worked_backward(again.running(), back.ids, back.targets, {0, 0, 4});
    CHECK(twice.dE.positions == std::vector<Index>{0, 4});  // 小 stands there
    for (Index c = 0; c < 12; ++c)
        CHECK(close(twice.dE.from_positions.at(0, c) + twice.dE.from_positions.at(1, c) +
                        twice.dE.from_output[std::size_t(c)],
                    twice.dE.sum[std::size_t(c)], kNear));
    CHECK(twice.dE.from_positions.row_copy(1) == twice.d_embedding);
}

TEST_CASE("worked backward: one entry of dW_Q is what a central difference says") {
    if (!kDouble) return;  // float is too coarse for the question
    Back back;
    const auto loss = [&](double move) {
        WorkedFixture f;
        f.gpt.parameters.tensor("block.1.attention.W_Q")
            .value[back.b.W_Q.row * 12 + back.b.W_Q.column] += Real(move);
        Tape tape(false);
        return double(f.gpt.model.loss(tape, back.ids, back.targets, 1, {}).mean.value[0]);
    };
    CHECK(close(back.b.W_Q.raw, (loss(1e-5) - loss(-1e-5)) / 2e-5, 1e-8));
}

TEST_CASE("worked backward: the trainer's own step does exactly what the sheet says") {
    Back back;
    const WorkedBackward::Check& check = back.b.check;
    CHECK(check.numbers == count(back.fixture.gpt.parameters.table()));
    CHECK(check.different == 0);
    CHECK(check.loss == back.b.loss);
    CHECK(close(check.W_Q, back.b.W_Q.new_value, 1e-9));
    CHECK(check.W_Q != back.b.W_Q.value);
    if (!kDouble) CHECK(check.same);  // the double kernels exist for derivatives, not for bits
    CHECK(check.loss_after < check.loss);
}

TEST_CASE("worked backward: the state it was given stays as it is") {
    WorkedFixture fixture, untouched;
    const WorkedTraining training = fixture.running();
    untouched.running();
    worked_backward(training, fixture.ids("小沈"), fixture.ids("沈阳"), {});
    CHECK(std::ranges::equal(fixture.gpt.parameters.values(), untouched.gpt.parameters.values()));
    const Parameter& p = fixture.gpt.parameters.table()[3];
    CHECK(std::ranges::equal(fixture.gpt.parameters.m(p), untouched.gpt.parameters.m(p)));
}

TEST_CASE("worked update: AdamW by hand") {
    // β1 = 0.9, β2 = 0.99, first step, no clipping: m = 0.1 g, v = 0.01 g², m̂ = g, v̂ = g²,
    // so the step is η g / (|g| + ε) = ±η, and decay takes η λ w.
    Parameters parameters(parameter_table(tiny_config()), true);
    parameters.tensor("block.0.attention.W_Q").value[5] = Real(0.5);
    TrainConfig config;
    config.clip = 0, config.warmup = 0, config.steps = 10;
    for (const Parameter& p : parameters.table())
        if (p.name == "block.0.attention.W_Q") parameters.grad(p)[5] = Real(-0.25);
    const WorkedUpdate u =
        worked_update(parameters, "block.0.attention.W_Q", 0, 5, config, 0.25, 0);
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
    std::vector<Parameter> table = parameter_table(tiny_config());
    freeze(table, "attention");
    Parameters parameters(std::move(table), true);
    const WorkedUpdate u =
        worked_update(parameters, "block.0.attention.W_Q", 0, 5, TrainConfig{}, 1, 0);
    CHECK(u.frozen);
    CHECK(u.new_value == u.value);
}
