#include "train/update.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/check.h"
#include "model/parameters.h"
#include "support/close.h"
#include "support/tiny_gpt.h"
#include "train/config.h"
#include "train/optimizer.h"

using namespace zhuyi;

namespace {

// The gradients of step 5 on two texts, in one pass or in two.
StepReport step_on_two_texts(TinyGpt& gpt, Index passes) {
    static const std::vector<Token> ids = some_tokens(16, 17, 1), targets = some_tokens(16, 17, 2);
    TrainConfig config;
    config.accumulate = passes;
    Tape tape(true);
    return compute_gradients(gpt.model, gpt.parameters, tape, config, 4, [&](Index pass) {
        const auto from = std::size_t(8 * (pass % passes)), length = std::size_t(16 / passes);
        return Batch{std::span(ids).subspan(from, length), std::span(targets).subspan(from, length),
                     2 / passes};
    });
}

}  // namespace

TEST_CASE("update: two passes averaged are one pass over both texts") {
    TinyGpt together, apart;
    const StepReport one = step_on_two_texts(together, 1), two = step_on_two_texts(apart, 2);
    CHECK(two.step == 5);
    CHECK(two.tokens == 16);
    CHECK(one.tokens == 16);
    CHECK(one.loss > 1);
    CHECK(close(two.loss, one.loss, 0, 1e-5));
    CHECK(one.gradient_norm > 0.01);
    CHECK(close(two.gradient_norm, one.gradient_norm, 0, 1e-4));
    const In a = together.parameters.grads(), b = apart.parameters.grads();
    for (std::size_t i = 0; i < a.size(); ++i) REQUIRE(close(double(a[i]), double(b[i]), 1e-5));
}

TEST_CASE("update: drops out while it learns") {
    GptConfig config = tiny_config();
    TinyGpt whole(config);
    config.dropout = 0.5;
    TinyGpt dropped(config);
    CHECK(std::abs(step_on_two_texts(dropped, 1).loss - step_on_two_texts(whole, 1).loss) > 1e-4);
}

TEST_CASE("update: a step is finite when its loss and its gradient are") {
    StepReport report{};
    report.loss = 1, report.gradient_norm = 2;
    CHECK(finite(report));
    for (const double x : {double(NAN), double(INFINITY), -double(INFINITY)}) {
        StepReport loss = report, norm = report;
        loss.loss = x, norm.gradient_norm = x;
        CHECK_FALSE(finite(loss));
        CHECK_FALSE(finite(norm));
    }
}

TEST_CASE("update: moves the weights; where a number is none it says so and moves nothing") {
    const std::vector<Token> ids = some_tokens(16, 17, 1), targets = some_tokens(16, 17, 2);
    const auto draw = [&](Index) { return Batch{ids, targets, 2}; };
    TinyGpt gpt;
    const auto optimizer = make_optimizer(gpt.parameters.table(), TrainConfig{});
    Tape tape(true);
    const auto weights = [&] {
        const In now = gpt.parameters.values();
        return std::vector<Real>(now.begin(), now.end());
    };
    const std::vector<Real> before = weights();
    CHECK(update(gpt.model, gpt.parameters, *optimizer, tape, TrainConfig{}, 0, draw).step == 1);
    CHECK(weights() != before);

    const Parameter& norm = gpt.parameters.table().back();
    gpt.parameters.value(norm)[0] = Real(INFINITY);
    const std::vector<Real> broken = weights();
    CHECK_THROWS_AS(update(gpt.model, gpt.parameters, *optimizer, tape, TrainConfig{}, 1, draw),
                    Error);
    CHECK(weights() == broken);
}
