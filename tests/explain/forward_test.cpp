#include "explain/forward.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/check.h"
#include "model/parameters.h"
#include "support/close.h"
#include "support/worked_fixture.h"
#include "train/config.h"
#include "train/optimizer.h"

using namespace zhuyi;

namespace {

constexpr double kForwardNear = 2e-5;

// What the model itself computes, written down by another watcher.
struct Diary : Watcher {
    std::map<std::string, std::vector<Real>> tensors;
    void value(std::string_view name, const Tensor& x) override {
        tensors[std::string(name)] = {x.values().begin(), x.values().end()};
    }
};

std::string message_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const UsageError& error) {
        return error.what();
    }
    return "no UsageError was thrown";
}

}  // namespace

TEST_CASE("worked forward: its numbers are the watcher's tensors, bit for bit") {
    WorkedFixture fixture;
    const std::vector<Token> ids = fixture.ids("小沈阳江西");
    const WorkedForward f = worked_forward(fixture.model(), ids, {1, 1, 3});
    Diary diary;
    Tape tape(false);
    const Watching watching(tape, diary);
    fixture.gpt.model.logits(tape, ids, 1, {});

    const Index T = 5, C = 12, D = 6, q = 3, h = 1;
    const auto check_row = [&](const Numbers& found, const char* name, Index row) {
        const std::vector<Real>& all = diary.tensors.at(name);
        for (std::size_t c = 0; c < found.size(); ++c)
            CHECK(Real(found[c]) == all[std::size_t(row) * found.size() + c]);
    };
    check_row(f.embedding, "embedding", q);
    check_row(f.norm_1.x, "block.0.residual.2", q);
    check_row(f.norm_1.y, "block.1.norm_1", q);
    check_row(f.attention.head.weights.row_copy(q), "block.1.attention.weights", h * T + q);
    check_row(f.attention.concatenation, "block.1.attention.mix", q);
    check_row(f.attention.output, "block.1.attention.output", q);
    check_row(f.residual_1, "block.1.residual.1", q);
    check_row(f.hidden, "block.1.ffn.hidden", q);
    check_row(f.gelu, "block.1.ffn.gelu", q);
    check_row(f.ffn_output, "block.1.ffn.output", q);
    check_row(f.residual_2, "block.1.residual.2", q);
    check_row(f.final_norm.y, "final_norm", q);
    for (Index t = 0; t < T; ++t)
        for (Index d = 0; d < D; ++d) {
            const std::size_t at = std::size_t(t * C + h * D + d);
            CHECK(Real(f.attention.head.Q.at(t, d)) == diary.tensors.at("block.1.attention.Q")[at]);
            CHECK(Real(f.attention.head.K.at(t, d)) == diary.tensors.at("block.1.attention.K")[at]);
            CHECK(Real(f.attention.head.V.at(t, d)) == diary.tensors.at("block.1.attention.V")[at]);
        }
}

TEST_CASE("worked forward: every line follows from the lines before") {
    WorkedFixture fixture;
    const std::vector<Token> ids = fixture.ids("小沈阳江西");
    const WorkedForward f = worked_forward(fixture.model(), ids, {1, 0, -1});
    const WorkedHead& a = f.attention.head;
    CHECK(f.focus.query == 4);
    for (std::size_t c = 0; c < 12; ++c) {
        CHECK(close(f.token_row[c] + f.position_row[c], f.embedding[c], kForwardNear));
        CHECK(close(f.norm_1.normalised[c] * f.norm_1.gamma[c] + f.norm_1.beta[c], f.norm_1.y[c],
                    kForwardNear));
        CHECK(close(f.norm_1.x[c] + f.attention.output[c], f.residual_1[c], kForwardNear));
        CHECK(close(f.residual_1[c] + f.ffn_output[c], f.residual_2[c], kForwardNear));
        double heads = f.attention.b_O[c];
        for (Index h = 0; h < 2; ++h) heads += f.attention.head_parts.at(h, Index(c));
        CHECK(close(heads, f.attention.output[c], kForwardNear));
    }
    for (Index d = 0; d < 6; ++d) {
        double q = f.attention.b_Q[std::size_t(d)], mix = 0;
        for (Index c = 0; c < 12; ++c) q += f.norm_1.y[std::size_t(c)] * f.attention.W_Q.at(c, d);
        for (Index s = 0; s < 5; ++s) mix += a.weights.at(4, s) * a.V.at(s, d);
        CHECK(close(q, a.Q.at(4, d), kForwardNear));
        CHECK(close(mix, a.mix.at(4, d), kForwardNear));
        CHECK(close(mix, f.attention.concatenation[std::size_t(d)], kForwardNear));
    }
    for (Index s = 0; s < 5; ++s) {
        CHECK(close(a.products.at(4, s), dot(a.Q.row(4), a.K.row(s)), kForwardNear));
        CHECK(close(a.scaled.at(4, s), a.products.at(4, s) / std::sqrt(6.0), kForwardNear));
        CHECK(close(a.weights.at(4, s), a.exponentials.at(4, s) / a.sums[4], kForwardNear));
        CHECK(close(f.attention.similarity.at(4, s),
                    dot(f.attention.X.row(4), f.attention.X.row(s)), 1e-4));
    }
    const Numbers unscaled = softmax(a.products.row(4));
    for (std::size_t s = 0; s < 5; ++s)
        CHECK(close(f.attention.unscaled[s], unscaled[s], kForwardNear));
}

TEST_CASE("worked forward: with rotary positions nothing is added to E, and q and k are turned") {
    WorkedFixture fixture(Position::rotary);
    const std::vector<Token> ids = fixture.ids("小沈阳江西");
    const WorkedForward f = worked_forward(fixture.model(), ids, {1, 1, 3});
    const WorkedAttention& a = f.attention;
    REQUIRE(a.rotation);
    CHECK(f.embedding == f.token_row);
    for (Index t = 0; t < 5; ++t)
        for (Index i = 0; i < 3; ++i) {
            const double angle = double(t) * std::pow(10000.0, -double(i) / 3);
            const double x = a.Q.at(t, i), y = a.Q.at(t, i + 3);
            CHECK(close(a.head.Q.at(t, i), x * std::cos(angle) - y * std::sin(angle), 1e-5));
            CHECK(close(a.head.Q.at(t, i + 3), x * std::sin(angle) + y * std::cos(angle), 1e-5));
        }
    for (Index s = 0; s <= 3; ++s)
        CHECK(close(a.head.products.at(3, s), dot(a.head.Q.row(3), a.head.K.row(s)), kForwardNear));
    // The sheet's own numbers: the score of the text, the same further on, and another one.
    const WorkedRotation& r = *a.rotation;
    CHECK(close(r.scores[0].product, a.head.products.at(3, r.key.position), 1e-5));
    CHECK(close(r.scores[1].product, r.scores[0].product, 1e-5));
    CHECK(std::abs(r.scores[2].product - r.scores[0].product) > 1e-3);
    CHECK(close(r.query.a * r.query.cosine - r.query.b * r.query.sine, r.query.a_turned, 1e-5));
    CHECK(r.query.angle == 3);
}

TEST_CASE("worked forward: the way through the blocks and the prediction") {
    WorkedFixture fixture;
    const WorkedForward f = worked_forward(fixture.model(), fixture.ids("小沈阳"), {0, 0, -1});
    REQUIRE(f.moves.size() == 4);
    CHECK(close(f.moves[0].moved, length(f.attention.output), 1e-4));
    CHECK(close(f.moves[1].moved, length(f.ffn_output), 1e-4));
    CHECK(f.moves[0].length_after == f.moves[1].length_before);
    CHECK(f.moves[3].length_after == length(f.final_norm.x));
    CHECK(f.moves[0].after[0].token == f.moves[1].before[0].token);
    double sum = f.others;
    for (std::size_t i = 0; i < f.predictions.size(); ++i) {
        sum += f.predictions[i].probability;
        if (i > 0) CHECK(f.predictions[i].probability <= f.predictions[i - 1].probability);
    }
    CHECK(close(sum, 1, 1e-9));
    CHECK(f.predictions[0].name == fixture.tokenizer.name(f.predictions[0].token));
}

TEST_CASE("worked forward: only what training has met can be a neighbour") {
    WorkedFixture fixture;
    const std::vector<Token> met = possible_neighbours(fixture.tokenizer);
    CHECK(met.size() == std::size_t(fixture.tokenizer.size()) - 256);  // no byte was needed
    const Tensor E = fixture.gpt.parameters.tensor("embedding.token");
    const Token xiao = fixture.ids("小")[0];
    const std::vector<Neighbour> near = nearest(Grid(E).row(xiao), E, met, 3);
    REQUIRE(near.size() == 3);
    CHECK(near[0].token == xiao);
    CHECK(close(near[0].cosine, 1, 1e-6));
    CHECK(near[1].cosine >= near[2].cosine);
}

TEST_CASE("worked forward: a changed character changes only what causality allows") {
    WorkedFixture fixture;
    const std::vector<Token> one = fixture.ids("小沈阳江西"), other = fixture.ids("小沈阳会西");
    for (Index query = 0; query < 5; ++query) {
        CAPTURE(query);
        const WorkedForward a = worked_forward(fixture.model(), one, {1, 0, query});
        const WorkedForward b = worked_forward(fixture.model(), other, {1, 0, query});
        CHECK((a.residual_2 == b.residual_2) == (query < 3));
        CHECK((a.predictions[0].logit == b.predictions[0].logit) == (query < 3));
        CHECK((a.attention.head.weights.row_copy(query) ==
               b.attention.head.weights.row_copy(query)) == (query < 3));
    }
}

TEST_CASE("worked forward: a place that is not there is refused, and the allowed ones are said") {
    WorkedFixture fixture;
    const auto at = [&](Focus focus) {
        return message_of([&] { worked_forward(fixture.model(), fixture.ids("小沈阳"), focus); });
    };
    CHECK(at({2, 0, 0}) == "--layer=2: this model's blocks count from 0, here 0 to 1");
    CHECK(at({0, -1, 0}) == "--head=-1: this model's heads count from 0, here 0 to 1");
    CHECK(at({0, 0, 3}) == "--query=3: this text's positions count from 0, here 0 to 2");
}
