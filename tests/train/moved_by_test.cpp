#include "train/moved_by.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/random.h"
#include "kernels/kernels.h"
#include "support/close.h"
#include "train/config.h"
#include "train/optimizer.h"

using namespace zhuyi;

namespace {

// A row of three numbers, moved by AdamW itself with the gradients of two causes and a rest.
struct MovedRow {
    TrainConfig config;
    Parameter row{};
    std::vector<Real> w{Real(0.5), Real(-1), Real(2)}, m{0, 0, 0}, v{0, 0, 0}, gradient{0, 0, 0};
    std::vector<double> start{w.begin(), w.end()};
    MovedBy by{2, 3};

    MovedRow() {
        config.weight_decay = 0.1, config.beta2 = 0.99;
        row.name = "row", row.shape = {3}, row.decay = true;
    }
    void update(Index step, double scale = 1, bool first = true, bool second = true) {
        const UpdateStep made{step, 0.01, scale};
        const std::vector<Real> before = w;
        for (std::size_t i = 0; i < 3; ++i) {
            const auto part = [&](Index cause) {
                return Random(5, Stream::batches, std::uint64_t(step)).normal(3 * cause + Index(i));
            };
            const double a = first ? part(0) : 0, b = second ? part(1) : 0;
            by.gradient(0)[i] += a, by.gradient(1)[i] += b;
            gradient[i] = Real(a + b + part(2));
        }
        RowUpdate moved{row, {m, v}, w, gradient};
        make_adamw(config)->update({&moved, 1}, made);
        by.update(before, m, v, adamw_step(config, row, made));
    }
};

}  // namespace

TEST_CASE("moved by: the contributions add up to the way that AdamW went") {
    MovedRow row;
    for (Index step = 1; step <= 200; ++step) row.update(step, step % 3 ? 1 : 0.4);
    double way = 0, error = 0;
    const std::vector<double> sum = row.by.sum();
    for (std::size_t i = 0; i < 3; ++i) {
        const double moved = double(row.w[i]) - row.start[i];
        way += moved * moved;
        error += (moved - sum[i]) * (moved - sum[i]);
    }
    CHECK(std::sqrt(error) < 3e-5 * std::sqrt(way));
    CHECK(row.by.by_decay()[1] > 0);  // decay pulls -1 towards 0
}

TEST_CASE("moved by: the first update is -rate times the cause's share of the gradient") {
    MovedRow row;
    row.update(1);
    // With m and v new, AdamW moves by the gradient's sign: each cause by gradient_k / |gradient|.
    const Random random(5, Stream::batches, 1);
    for (std::size_t i = 0; i < 3; ++i) {
        const double g = double(row.gradient[i]);
        CHECK(close(row.by.moved(0)[i], -0.01 * random.normal(Index(i)) / std::abs(g), 1e-6, 1e-4));
    }
}

TEST_CASE("moved by: a cause that is silent moves nothing, and one that stops goes on through m") {
    MovedRow row;
    row.update(1, 1, true, false);
    CHECK(row.by.moved(1)[0] == 0);
    const double before = row.by.moved(0)[0];
    row.update(2, 1, false, true);
    CHECK(row.by.moved(1)[0] != 0);
    CHECK((row.by.moved(0)[0] < before) == (before < 0));  // the same way, by what m remembers
}

TEST_CASE("moved by: it goes on from its state, bit for bit") {
    MovedRow whole, broken;
    for (Index step = 1; step <= 6; ++step) whole.update(step);
    for (Index step = 1; step <= 3; ++step) broken.update(step);
    const std::vector<double> state = broken.by.state();
    CHECK(std::ssize(state) == MovedBy::state_length(2, 3));
    broken.by = MovedBy(2, 3);
    broken.by.restore(state);
    for (Index step = 4; step <= 6; ++step) broken.update(step);
    CHECK(whole.by.state() == broken.by.state());
    CHECK(whole.by.sum() == broken.by.sum());
}
