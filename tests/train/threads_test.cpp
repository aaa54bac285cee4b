// The number of threads changes no bit. The model is larger than those of the other tests: its
// loops must be worth a second thread (kWorthAThread in base/parallel.h), or this would prove
// nothing. `make sanitize-threads` runs this file too, and looks for data races.
#include <doctest/doctest.h>

#include "autograd/tape.h"
#include "base/parallel.h"
#include "support/tiny_gpt.h"
#include "train/config.h"
#include "train/evaluate.h"
#include "train/optimizer.h"
#include "train/update.h"

using namespace zhuyi;

namespace {

GptConfig shared_by_threads() {
    GptConfig config;
    config.context = 32, config.channels = 64, config.heads = 2, config.layers = 2;
    config.vocabulary = 100;
    config.dropout = 0.1;
    return config;
}

struct Result {
    std::uint64_t weights;
    double loss, norm;
    bool operator==(const Result&) const = default;
};

Result trained(int threads, UpdateRule rule, Position position, Precision precision) {
    set_thread_count(threads);
    GptConfig sizes = shared_by_threads();
    sizes.position = position;
    TrainConfig config;
    config.batch = 4, config.learning_rate = 1e-2, config.warmup = 1;
    config.optimizer = rule, config.precision = precision;

    const auto text = some_tokens(500, sizes.vocabulary);
    Parameters parameters(parameter_table(sizes), true);
    parameters.initialise(1);
    Gpt model(sizes, parameters);
    Tape tape(true, precision), reading(false, precision);
    const auto optimizer = make_optimizer(parameters.table(), config);
    Batches batches(text, config, sizes.context);
    StepReport last = {};
    for (Index step = 0; step < 2; ++step)
        last = update(model, parameters, *optimizer, tape, config, step, batches.of_step(step));
    const double loss = evaluate(model, reading, text, config.batch).loss();
    set_thread_count(0);
    return {parameters.fingerprint(), loss, last.gradient_norm};
}

}  // namespace

TEST_CASE("threads: one and several train to the same weights, and find the same loss") {
    const auto same = [](UpdateRule rule, Position position, Precision precision) {
        const Result one = trained(1, rule, position, precision);
        for (const int threads : {2, 4}) CHECK(trained(threads, rule, position, precision) == one);
    };
    same(UpdateRule::adamw, Position::learned, Precision::bf16);
    same(UpdateRule::muon, Position::rotary, Precision::fp32);
}
