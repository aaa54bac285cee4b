#include "explain/forward.h"

#include <doctest/doctest.h>

#include <cmath>

#include "attention/neighbors.h"
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
    std::map<std::string, List<Real>> tensors;
    void value(std::string_view name, const Tensor& x) override {
        tensors[std::string(name)] = {x.values().begin(), x.values().end()};
    }
};

Sheet forward_sheet(WorkedFixture& fixture, const char* text, Focus focus) {
    Sheet sheet;
    write_forward(sheet, read(fixture.model(), fixture.ids(text), focus));
    return sheet;
}

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
    const Sheet f = forward_sheet(fixture, "小沈阳江西", {1, 1, 3});
    Diary diary;
    Tape tape(false);
    const Watching watching(tape, diary);
    fixture.gpt.model.logits(tape, ids, 1, {});

    const Index T = 5, C = 12, D = 6, q = 3, h = 1;
    const auto check_row = [&](const Numbers& found, const char* name, Index row) {
        const List<Real>& all = diary.tensors.at(name);
        for (Index c = 0; c < found.count(); ++c)
            CHECK(Real(found[c]) == all[row * found.count() + c]);
    };
    const auto row = [&](const char* section, const char* table, Index number) {
        return f.table(section, table).row(number).numbers();
    };
    check_row(row("embedding", "embedding", -1), "embedding", q);
    check_row(row("norm_1", "norm_1", 0), "block.0.residual.2", q);
    check_row(row("norm_1", "norm_1", -1), "block.1.norm_1", q);
    Numbers weights = f.table("softmax").column(2);
    weights.resize(std::size_t(T));  // the last row is their sum
    check_row(weights, "block.1.attention.weights", h * T + q);
    check_row(f.table("concatenation").grid().values, "block.1.attention.mix", q);
    check_row(row("output", "output", -1), "block.1.attention.output", q);
    check_row(row("residual", "residual_1", -1), "block.1.residual.1", q);
    check_row(row("feed_forward", "hidden", 0), "block.1.ffn.hidden", q);
    check_row(row("feed_forward", "hidden", 1), "block.1.ffn.gelu", q);
    check_row(row("feed_forward", "residual_2", 1), "block.1.ffn.output", q);
    check_row(row("feed_forward", "residual_2", -1), "block.1.residual.2", q);
    check_row(row("prediction", "final_norm", 0), "final_norm", q);
    for (const std::string name : {"Q", "K", "V"})
        for (Index t = 0; t < T; ++t)
            for (Index d = 0; d < D; ++d)
                CHECK(Real(f.table("projections", name).row(t).number(d)) ==
                      diary.tensors.at("block.1.attention." + name)[t * C + h * D + d]);
}

TEST_CASE("worked forward: every line follows from the lines before") {
    WorkedFixture fixture;
    const Sheet f = forward_sheet(fixture, "小沈阳江西", {1, 0, -1});
    const auto add_up = [](const Sheet::Table& table) {  // all rows but the last to the last
        const Grid rows = table.grid();
        for (Index c = 0; c < rows.columns; ++c) {
            double sum = 0;
            for (Index r = 0; r + 1 < rows.rows; ++r) sum += rows.at(r, c);
            CHECK(close(sum, rows.at(rows.rows - 1, c), kForwardNear));
        }
    };
    add_up(f.table("embedding"));
    add_up(f.table("output"));
    add_up(f.table("residual", "residual_1"));
    add_up(f.table("feed_forward", "residual_2"));
    add_up(f.table("mix"));
    for (const auto& [section, table] :
         {std::pair("norm_1", "norm_1"), std::pair("feed_forward", "norm_2")}) {
        const Sheet::Table& norm = f.table(section, table);
        for (Index c = 0; c < 12; ++c)
            CHECK(close(norm.row("n").number(c) * norm.row("γ").number(c) + norm.row("β").number(c),
                        norm.row("X").number(c), kForwardNear));
    }
    for (Index nth = 0; nth < 3; ++nth) {  // Q[西][0], K[西][0], V[西][0]
        const Sheet::Product& product = f.at("projections").product(nth);
        double sum = *product.bias;
        for (const auto& [x, w] : product.terms) sum += x * w;
        CHECK(close(sum, product.value, kForwardNear));
    }
    const Grid Q = f.table("projections", "Q").grid(), K = f.table("projections", "K").grid();
    const Sheet::Table &scores = f.table("scores"), &softmax_of = f.table("softmax");
    const double sum = softmax_of.row("sum").number(1);
    for (Index s = 0; s < 5; ++s) {
        CHECK(close(scores.row(s).number(0), dot(Q.row(4), K.row(s)), kForwardNear));
        CHECK(close(scores.row(s).number(4), scores.row(s).number(0) / std::sqrt(6.0), 1e-12));
        CHECK(close(softmax_of.row(s).number(2), softmax_of.row(s).number(1) / sum, kForwardNear));
        CHECK(close(f.table("similarity", "similarity").row(4).number(s),
                    f.table("similarity", "similarity").row(s).number(4), 1e-5));
    }
    const Numbers unscaled = softmax(scores.column(0));
    for (Index s = 0; s < 5; ++s)
        CHECK(close(softmax_of.row(s).number(3), unscaled[s], kForwardNear));
}

TEST_CASE("worked forward: with rotary positions nothing is added to E, and q and k are turned") {
    WorkedFixture fixture(Position::rotary);
    const Sheet f = forward_sheet(fixture, "小沈阳江西", {1, 1, 3});
    CHECK(f.table("embedding").row(0).numbers() == f.table("embedding").row(-1).numbers());
    const auto check_turned = [&](const char* name) {
        const Grid x = f.table("projections", name).grid();
        const Grid y = f.table("rotation", std::string(name) + "_turned").grid();
        for (Index t = 0; t < 5; ++t)
            for (Index i = 0; i < 3; ++i) {
                const double angle = double(t) * std::pow(10000.0, -double(i) / 3);
                const double a = x.at(t, i), b = x.at(t, i + 3);
                CHECK(close(y.at(t, i), a * std::cos(angle) - b * std::sin(angle), 1e-5));
                CHECK(close(y.at(t, i + 3), a * std::sin(angle) + b * std::cos(angle), 1e-5));
            }
        return y;
    };
    const Grid Q = check_turned("Q"), K = check_turned("K");
    for (Index s = 0; s <= 3; ++s)
        CHECK(close(f.table("scores").row(s).number(0), dot(Q.row(3), K.row(s)), kForwardNear));
    // The sheet's own numbers: the score of the text, the same further on, and another one.
    const Numbers score = f.table("rotation", "rotation_distance").column(3);
    const Index key = std::stol(f.table("rotation", "rotation").row(1).words(0));
    CHECK(close(score[0], f.table("scores").row(key).number(0), 1e-5));
    CHECK(close(score[1], score[0], 1e-5));
    CHECK(std::abs(score[2] - score[0]) > 1e-3);
    const Sheet::Row& turn = f.table("rotation").row(0);  // angle, cos, sin, a, b, a', b'
    CHECK(turn.number(1) == 3);
    CHECK(close(turn.number(4) * turn.number(2) - turn.number(5) * turn.number(3), turn.number(6),
                1e-5));
}

TEST_CASE("worked forward: the way through the blocks and the prediction") {
    WorkedFixture fixture;
    const Sheet f = forward_sheet(fixture, "小沈阳", {0, 0, -1});
    const Sheet::Table& moves = f.table("stack", "moves");  // ‖Δx‖, ‖x‖, cosine, nearest
    REQUIRE(moves.rows.size() == 4);
    CHECK(close(moves.row(0).number(0), length(f.table("output").row(-1).numbers()), 1e-4));
    CHECK(close(moves.row(1).number(0),
                length(f.table("feed_forward", "residual_2").row("FFN").numbers()), 1e-4));
    CHECK(moves.row(0).number(1) ==
          length(f.table("feed_forward", "residual_2").row("x").numbers()));
    CHECK(moves.row(0).words(4) == moves.row(1).words(3));
    const Numbers p = f.table("prediction", "predictions").column(1);  // ten, and all others
    double sum = 0;
    for (Index i = 0; i < p.count(); ++i) {
        sum += p[i];
        if (i > 0 && i < 10) CHECK(p[i] <= p[i - 1]);
    }
    CHECK(p.count() == 11);
    CHECK(close(sum, 1, 1e-9));
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
    for (Index query = 0; query < 5; ++query) {
        CAPTURE(query);
        const Sheet a = forward_sheet(fixture, "小沈阳江西", {1, 0, query});
        const Sheet b = forward_sheet(fixture, "小沈阳会西", {1, 0, query});
        const auto same = [&](const char* section, const char* table, Index row) {
            return a.table(section, table).row(row).numbers() ==
                   b.table(section, table).row(row).numbers();
        };
        CHECK(same("feed_forward", "residual_2", -1) == (query < 3));
        CHECK(same("prediction", "predictions", 0) == (query < 3));
        CHECK(same("softmax", "softmax", query) == (query < 3));
    }
}

TEST_CASE("worked forward: a place that is not there is refused, and the allowed ones are said") {
    WorkedFixture fixture;
    const auto at = [&](Focus focus) {
        return message_of([&] { read(fixture.model(), fixture.ids("小沈阳"), focus); });
    };
    CHECK(at({2, 0, 0}) == "--layer=2: this model's blocks count from 0, here 0 to 1");
    CHECK(at({0, -1, 0}) == "--head=-1: this model's heads count from 0, here 0 to 1");
    CHECK(at({0, 0, 3}) == "--query=3: this text's positions count from 0, here 0 to 2");
}
