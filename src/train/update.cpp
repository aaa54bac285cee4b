#include "train/update.h"

#include <cmath>

#include "base/check.h"
#include "base/format.h"
#include "train/optimizer.h"
#include "train/schedule.h"

namespace zhuyi {

// Gradients of `accumulate` passes are averaged: each is seeded with 1 / accumulate.
StepReport update(Gpt& model, Parameters& parameters, Tape& tape, const TrainConfig& config,
                  Index step, const std::function<Batch(Index pass)>& batch) {
    const Index A = config.accumulate;
    double loss = 0;
    Index tokens = 0;
    parameters.forget_gradients();
    for (Index micro = 0; micro < A; ++micro) {
        const Batch drawn = batch(micro);
        const Pass pass{true, std::uint64_t(config.seed), step, micro};
        tape.reset();
        const CrossEntropy entropy = model.loss(tape, drawn.ids, drawn.targets, drawn.texts, pass);
        double sum = 0;
        for (double nats : entropy.each_row) sum += nats;
        loss += sum / double(drawn.ids.size()) / double(A);
        tokens += Index(drawn.ids.size());
        tape.backward(entropy.mean, Real(1) / Real(A));
    }
    parameters.settle_gradients();
    const double rate = learning_rate(step, config);
    const double norm = gradient_norm(parameters, tape.workspace());
    tape.lap(Phase::update, "norm");
    if (!std::isfinite(loss) || !std::isfinite(norm))
        fail(format(
            "step %td: the loss is %g and the gradient's length %g, so this update was not made. "
            "The last checkpoint is good. Learning rate here: %g; try a smaller --learning-rate, "
            "a longer --warmup or a smaller --clip.",
            step + 1, loss, norm, rate));
    adamw(parameters, config, rate, clip_scale(norm, config.clip), step + 1);
    tape.lap(Phase::update, "AdamW");
    return {step + 1, loss, rate, norm, tokens};
}

}  // namespace zhuyi
