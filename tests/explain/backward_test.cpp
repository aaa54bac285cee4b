#include "explain/backward.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/format.h"
#include "explain/forward.h"
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
    WorkedTraining training = fixture.running();
    TrainedReading r{training, ids, targets, {1, 1, 2}};
    Sheet sheet = written();

    Grid grid(const char* section, const char* table) const {
        return sheet.table(section, table).grid();
    }
    // A number of the last row, where the training step's own stand beside the sheet's.
    const Sheet::Row& checked(Index row) const { return sheet.table("check").row(row); }

  private:
    Sheet written() {
        Sheet whole;
        write_forward(whole, r);
        write_backward(whole, training, r);
        return whole;
    }
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
    for (const std::string name : {"W_Q", "W_K", "W_V"})
        CHECK(back.grid("d_weights_in", ("d" + name).c_str()).values ==
              columns_of(gradient(("block.1.attention." + name).c_str()), 6, 6).values);
    CHECK(back.grid("d_weights_in", "dW_O").values ==
          rows_of(gradient("block.1.attention.W_O"), 6, 6).values);
    CHECK(back.sheet.table("d_embedding", "dE").row(-1).numbers() ==
          gradient("embedding.token").row_copy(back.ids[2]));
}

TEST_CASE("worked backward: from p - onehot down to dq, every line follows from the one before") {
    Back back;
    double mean = 0;
    for (Index t = 0; t < 5; ++t) {
        const Sheet::Row& row = back.sheet.table("loss").row(t);
        CHECK(close(row.number(2), -std::log(row.number(1)), 1e-4));
        mean += row.number(2) / 5;
    }
    CHECK(close(back.sheet.table("loss").row("mean").number(2), mean, kNear));
    const Sheet::Table& logits = back.sheet.table("d_logits");
    CHECK(logits.row(0).words(1) == "1");  // an untrained model: the target pulls hardest
    for (const Sheet::Row& row : logits.rows)
        CHECK(close(row.number(2), (row.number(0) - (row.words(1) == "1")) / 5, kNear));
    const Numbers d_mix = back.sheet.table("d_output", "d_mix").row(0).numbers();
    const Numbers d_output = back.sheet.table("d_output").row(0).numbers();
    const Grid W_O = rows_of(back.r.model.value("block.1.attention.W_O"), 6, 6);
    for (Index d = 0; d < 6; ++d) CHECK(close(d_mix[d], dot(d_output, W_O.row(d)), kNear));
    const Grid looks = back.grid("d_weights", "d_scores");  // p, dp, da
    const Grid V = back.grid("projections", "V"), K = back.grid("projections", "K");
    double average = 0;
    for (Index s = 0; s < 3; ++s) {
        CHECK(close(looks.at(s, 1), dot(d_mix, V.row(s)), kNear));
        average += looks.at(s, 0) * looks.at(s, 1);
    }
    for (Index s = 0; s < 3; ++s)
        CHECK(close(looks.at(s, 2), looks.at(s, 0) * (looks.at(s, 1) - average), kNear));
    for (Index d = 0; d < 6; ++d) {
        double dq = 0;
        for (Index s = 0; s < 3; ++s) dq += looks.at(s, 2) * K.at(s, d) / std::sqrt(6.0);
        CHECK(close(back.grid("d_projections", "d_Q").at(2, d), dq, kNear));
    }
}

TEST_CASE("worked backward: with rotary positions dq is what came to q', turned back") {
    Back back(Position::rotary);
    const Numbers met = back.sheet.table("d_projections", "d_query").row(-1).numbers();
    const Grid K = back.grid("rotation", "K_turned"), looks = back.grid("d_weights", "d_scores");
    for (Index d = 0; d < 6; ++d) {
        double dq = 0;
        for (Index s = 0; s < 3; ++s) dq += looks.at(s, 2) * K.at(s, d) / std::sqrt(6.0);
        CHECK(close(met[d], dq, kNear));
    }
    const Sheet::Row& turn = back.sheet.table("rotation").row(0);
    const double cosine = turn.number(2), sine = turn.number(3);
    const Numbers dq = back.sheet.table("d_projections", "d_Q").row(2).numbers();
    CHECK(close(dq[0], met[0] * cosine + met[3] * sine, kNear));
    CHECK(close(dq[3], met[3] * cosine - met[0] * sine, kNear));
    CHECK(met[0] != dq[0]);
    const Sheet::Product& product = back.sheet.at("d_projections").product();
    CHECK(product.value == dq[0]);
}

TEST_CASE("worked backward: dW_Q = Xᵀ dQ, and the embedding row is the sum of its parts") {
    Back back;
    const Grid& X = back.r.pass.values("block.1.norm_1");
    const Grid dQ = back.grid("d_projections", "d_Q"), dW_Q = back.grid("d_weights_in", "dW_Q");
    for (Index c = 0; c < 12; ++c)
        for (Index d = 0; d < 6; ++d) {
            double sum = 0;
            for (Index t = 0; t < 5; ++t) sum += X.at(t, c) * dQ.at(t, d);
            CHECK(close(dW_Q.at(c, d), sum, kNear));
        }
    const Sheet::Product& entry = back.sheet.at("d_weights_in").product();
    double sum = 0;
    for (const auto& [x, dq] : entry.terms) sum += x * dq;
    CHECK(close(entry.value, sum, kNear));
    CHECK(entry.value == dW_Q.values[largest_absolute(dW_Q.values)]);

    WorkedFixture again;
    const WorkedTraining training = again.running();
    const TrainedReading r(training, back.ids, back.targets, {0, 0, 4});
    Sheet twice;
    write_backward(twice, training, r);
    const Sheet::Table& dE = twice.table("d_embedding", "dE");
    CHECK(dE.row(0).label == "dx[0 小]");  // 小 stands there
    CHECK(dE.row(1).label == "dx[4 小]");
    for (Index c = 0; c < 12; ++c)
        CHECK(close(dE.row(0).number(c) + dE.row(1).number(c) + dE.row("output layer").number(c),
                    dE.row(-1).number(c), kNear));
    CHECK(dE.row(1).numbers() == twice.table("d_embedding", "d_input").row(-1).numbers());
}

TEST_CASE("worked backward: one entry of dW_Q is what a central difference says") {
    if (!kDouble) return;  // float is too coarse for the question
    Back back;
    const Grid dW_Q = back.grid("d_weights_in", "dW_Q");
    const Index at = largest_absolute(dW_Q.values);
    const auto loss = [&](double move) {
        WorkedFixture f;
        f.gpt.parameters.tensor("block.1.attention.W_Q").value[at / 6 * 12 + 6 + at % 6] +=
            Real(move);
        Tape tape(false);
        return double(f.gpt.model.loss(tape, back.ids, back.targets, 1, {}).mean.value[0]);
    };
    CHECK(close(dW_Q.values[at], (loss(1e-5) - loss(-1e-5)) / 2e-5, 1e-8));
}

TEST_CASE("worked backward: the trainer's own step does exactly what the sheet says") {
    for (const UpdateRule rule : {UpdateRule::adamw, UpdateRule::muon}) {
        CAPTURE(name_of(rule));
        Back back(Position::learned, rule);
        const Sheet::Row &loss = back.checked(0), &gradients = back.checked(1);
        CHECK(gradients.words(0) == grouped(count(back.fixture.gpt.parameters.table())));
        CHECK(gradients.words(1) == gradients.words(0));
        CHECK(loss.number(0) == back.r.loss);
        CHECK(loss.number(1) == back.r.loss);
        for (const Index weight : {2, 3}) {  // of W_Q, of E
            const Sheet::Row& row = back.checked(weight);
            CHECK(close(row.number(0), row.number(1), 1e-9));
            if (!kDouble) CHECK(row.words(2) == "the same bits");
        }
        const Sheet::Table& lines = back.sheet.table(rule == UpdateRule::muon ? "muon" : "adamw");
        CHECK(lines.row("w").number() != back.checked(2).number(1));
        CHECK(lines.row(-1).number() == back.checked(2).number(0));
        CHECK(back.checked(4).words(0) == grouped(12 * 12 + back.fixture.tokenizer.size() * 12));
        if (!kDouble)  // the double kernels exist for derivatives, not for bits
            CHECK(back.checked(4).words(2) == "the same bits");
        const Numbers& after_before = back.sheet.at("check").paragraph(-1).numbers;
        CHECK(after_before[0] < after_before[1]);
    }
}

TEST_CASE("worked backward: the state it was given stays as it is") {
    Back back;
    WorkedFixture untouched;
    untouched.running();
    CHECK(std::ranges::equal(back.fixture.gpt.parameters.values(),
                             untouched.gpt.parameters.values()));
    const Parameter& p = back.fixture.gpt.parameters.table()[3];
    CHECK(std::ranges::equal(back.fixture.optimizer->state_of(p)[0].values,
                             untouched.optimizer->state_of(p)[0].values));
}
