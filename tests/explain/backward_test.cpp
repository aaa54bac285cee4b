#include "explain/backward.h"

#include <doctest/doctest.h>

#include <cmath>

#include "model/parameters.h"
#include "support/close.h"
#include "support/gradcheck.h"
#include "support/worked_fixture.h"
#include "train/config.h"
#include "train/optimizer.h"

using namespace zhuyi;

namespace {

constexpr double kNear = 1e-5;

struct Back {
    explicit Back(Position position = Position::learned, UpdateRule rule = UpdateRule::adamw)
        : fixture(position, rule) {}
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
    CHECK(back.b.attention.dW_Q.values ==
          columns_of(gradient("block.1.attention.W_Q"), 6, 6).values);
    CHECK(back.b.attention.dW_K.values ==
          columns_of(gradient("block.1.attention.W_K"), 6, 6).values);
    CHECK(back.b.attention.dW_V.values ==
          columns_of(gradient("block.1.attention.W_V"), 6, 6).values);
    CHECK(back.b.attention.dW_O.values == rows_of(gradient("block.1.attention.W_O"), 6, 6).values);
    CHECK(back.b.dE.sum == gradient("embedding.token").row_copy(back.ids[2]));
}

TEST_CASE("worked backward: from p - onehot down to dq, every line follows from the one before") {
    Back back;
    const WorkedBackward& b = back.b;
    const WorkedHead& a = b.forward.attention.head;
    double mean = 0;
    for (const auto& p : b.predictions) {
        CHECK(close(p.loss, -std::log(p.probability), 1e-4));
        mean += p.loss / 5;
    }
    CHECK(close(b.loss, mean, kNear));
    CHECK(b.logits[0].onehot == 1);  // an untrained model: the target pulls hardest
    for (const auto& g : b.logits) CHECK(close(g.gradient, (g.probability - g.onehot) / 5, kNear));
    for (Index d = 0; d < 6; ++d)
        CHECK(close(b.attention.d_mix[std::size_t(d)],
                    dot(b.attention.d_output, b.attention.W_O.row(d)), kNear));
    double average = 0;
    for (std::size_t s = 0; s < 3; ++s) {
        CHECK(close(b.attention.d_weights[s], dot(b.attention.d_mix, a.V.row(Index(s))), kNear));
        average += a.weights.at(2, Index(s)) * b.attention.d_weights[s];
    }
    for (std::size_t s = 0; s < 3; ++s)
        CHECK(close(b.attention.d_scores[s],
                    a.weights.at(2, Index(s)) * (b.attention.d_weights[s] - average), kNear));
    for (Index d = 0; d < 6; ++d) {
        double dq = 0;
        for (Index s = 0; s < 3; ++s)
            dq += b.attention.d_scores[std::size_t(s)] * a.K.at(s, d) / std::sqrt(6.0);
        CHECK(close(b.attention.d_Q.at(2, d), dq, kNear));
    }
}

TEST_CASE("worked backward: with rotary positions dq is what came to q', turned back") {
    Back back(Position::rotary);
    const WorkedAttentionBackward& b = back.b.attention;
    const WorkedHead& a = back.b.forward.attention.head;
    const WorkedRotation::Turn& turn = back.b.forward.attention.rotation->query;
    for (Index d = 0; d < 6; ++d) {
        double dq = 0;
        for (Index s = 0; s < 3; ++s)
            dq += b.d_scores[std::size_t(s)] * a.K.at(s, d) / std::sqrt(6.0);
        CHECK(close(b.d_Q_met.at(2, d), dq, kNear));
    }
    CHECK(close(b.d_Q.at(2, 0), b.d_Q_met.at(2, 0) * turn.cosine + b.d_Q_met.at(2, 3) * turn.sine,
                kNear));
    CHECK(close(b.d_Q.at(2, 3), b.d_Q_met.at(2, 3) * turn.cosine - b.d_Q_met.at(2, 0) * turn.sine,
                kNear));
    CHECK(b.d_Q_met.at(2, 0) != b.d_Q.at(2, 0));
}

TEST_CASE("worked backward: dW_Q = Xᵀ dQ, and the embedding row is the sum of its parts") {
    Back back;
    const WorkedBackward& b = back.b;
    for (Index c = 0; c < 12; ++c)
        for (Index d = 0; d < 6; ++d) {
            double sum = 0;
            for (Index t = 0; t < 5; ++t)
                sum += b.forward.attention.X.at(t, c) * b.attention.d_Q.at(t, d);
            CHECK(close(b.attention.dW_Q.at(c, d), sum, kNear));
        }
    CHECK(close(dot(b.attention.entry_X, b.attention.entry_dQ),
                b.attention.dW_Q.at(b.attention.row, b.attention.column), kNear));
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
            .value[back.b.updates.W_Q.row * 12 + back.b.updates.W_Q.column] += Real(move);
        Tape tape(false);
        return double(f.gpt.model.loss(tape, back.ids, back.targets, 1, {}).mean.value[0]);
    };
    CHECK(close(back.b.updates.W_Q.raw, (loss(1e-5) - loss(-1e-5)) / 2e-5, 1e-8));
}

TEST_CASE("worked backward: the trainer's own step does exactly what the sheet says") {
    for (const UpdateRule rule : {UpdateRule::adamw, UpdateRule::muon}) {
        CAPTURE(name_of(rule));
        Back back(Position::learned, rule);
        const WorkedUpdates::Check& check = back.b.updates.check;
        CHECK(check.gradients.numbers == count(back.fixture.gpt.parameters.table()));
        CHECK(check.gradients.different == 0);
        CHECK(check.loss == back.b.loss);
        CHECK(close(check.W_Q, back.b.updates.W_Q.new_value, 1e-9));
        CHECK(check.W_Q != back.b.updates.W_Q.value);
        CHECK(check.weights.numbers == 12 * 12 + back.fixture.tokenizer.size() * 12);
        if (!kDouble) {  // the double kernels exist for derivatives, not for bits
            CHECK(check.W_Q == back.b.updates.W_Q.new_value);
            CHECK(check.E == back.b.updates.E.new_value);
            CHECK(check.weights.different == 0);
        }
        CHECK(check.loss_after < check.loss);
    }
}

TEST_CASE("worked backward: the state it was given stays as it is") {
    WorkedFixture fixture, untouched;
    const WorkedTraining training = fixture.running();
    untouched.running();
    worked_backward(training, fixture.ids("小沈"), fixture.ids("沈阳"), {});
    CHECK(std::ranges::equal(fixture.gpt.parameters.values(), untouched.gpt.parameters.values()));
    const Parameter& p = fixture.gpt.parameters.table()[3];
    CHECK(std::ranges::equal(fixture.optimizer->state_of(p)[0].values,
                             untouched.optimizer->state_of(p)[0].values));
}
