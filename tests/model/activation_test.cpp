// The two forms of GELU as a choice of the model: both are what they say, and both learn by their
// own slope.
#include <doctest/doctest.h>

#include <cmath>

#include "model/parameters.h"
#include "support/close.h"
#include "support/gradcheck.h"
#include "support/tiny_gpt.h"

using namespace zhuyi;

namespace {

GptConfig with(Activation activation) {
    GptConfig config = tiny_config();
    config.activation = activation;
    return config;
}

double loss_of(TinyGpt& gpt) {
    const std::vector<Token> ids = some_tokens(8, 17), targets = some_tokens(8, 17, 2);
    Tape tape(false);
    return double(gpt.model.loss(tape, ids, targets, 1, {}).mean.value[0]);
}

}  // namespace

TEST_CASE("activation: the other form gives other scores, a little") {
    TinyGpt by_tanh(with(Activation::gelu_new)), by_erf(with(Activation::gelu));
    const double difference = std::abs(loss_of(by_tanh) - loss_of(by_erf));
    CHECK(difference > 1e-7);
    CHECK(difference < 1e-2);
}

TEST_CASE("activation: the loss falls along its gradient as fast as the gradient says") {
    if constexpr (!kDouble) return;
    for (const Activation activation : {Activation::gelu_new, Activation::gelu}) {
        TinyGpt gpt(with(activation));
        const std::vector<Token> ids = some_tokens(8, 17), targets = some_tokens(8, 17, 2);
        Tape tape(true);
        tape.backward(gpt.model.loss(tape, ids, targets, 1, {}).mean);
        gpt.parameters.settle_gradients();
        const std::vector<Real> gradient(gpt.parameters.grads().begin(),
                                         gpt.parameters.grads().end());
        double square = 0;
        for (const Real g : gradient) square += double(g) * double(g);
        const auto moved = [&](double step) {
            for (std::size_t i = 0; i < gradient.size(); ++i)
                gpt.parameters.values()[i] += Real(step * double(gradient[i]));
            const double loss = loss_of(gpt);
            for (std::size_t i = 0; i < gradient.size(); ++i)
                gpt.parameters.values()[i] -= Real(step * double(gradient[i]));
            return loss;
        };
        const double step = 1e-5 / std::sqrt(square);
        CHECK(close((moved(step) - moved(-step)) / (2 * step), square, 0, 1e-6));
    }
}
