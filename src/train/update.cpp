#include "train/update.h"

#include <cmath>

#include "autograd/tape.h"
#include "base/check.h"
#include "base/format.h"
#include "train/optimizer.h"
#include "train/schedule.h"

namespace zhuyi {

// Gradients of `accumulate` passes are averaged: each is seeded with 1 / accumulate.
StepReport compute_gradients(Gpt& model, Parameters& parameters, Tape& tape,
                             const TrainConfig& config, Index step, const DrawBatch& batch) {
    const Index A = config.accumulate;
    double loss = 0;
    Index tokens = 0;
    parameters.forget_gradients();
    tape.dropouts() = {std::uint64_t(config.seed), Stream::dropout, std::uint64_t(step)};
    for (Index pass = 0; pass < A; ++pass) {
        const Batch drawn = batch(pass);
        tape.reset();
        const CrossEntropy entropy =
            model.loss(tape, drawn.ids, drawn.targets, drawn.texts, {.training = true});
        double sum = 0;
        for (double nats : entropy.each_row) sum += nats;
        loss += sum / double(drawn.ids.size()) / double(A);
        tokens += Index(drawn.ids.size());
        tape.backward(entropy.mean, Real(1) / Real(A));
    }
    parameters.settle_gradients();
    const double norm = gradient_norm(parameters, tape.workspace());
    tape.lap(Phase::update, "norm");
    return {step + 1, loss, learning_rate(step, config), norm, tokens};
}

bool finite(const StepReport& report) {
    return std::isfinite(report.loss) && std::isfinite(report.gradient_norm);
}

std::string why_not_made(const StepReport& report) {
    return format(
        "step %td: the loss is %g and the gradient's length %g, so this update was not made",
        report.step, report.loss, report.gradient_norm);
}

void apply_gradients(Parameters& parameters, Tape& tape, const TrainConfig& config,
                     const StepReport& report) {
    adamw(parameters, config, report.learning_rate, clip_scale(report.gradient_norm, config.clip),
          report.step);
    tape.lap(Phase::update, "AdamW");
}

StepReport update(Gpt& model, Parameters& parameters, Tape& tape, const TrainConfig& config,
                  Index step, const DrawBatch& batch) {
    const StepReport report = compute_gradients(model, parameters, tape, config, step, batch);
    if (!finite(report)) fail_english(why_not_made(report));
    apply_gradients(parameters, tape, config, report);
    return report;
}

}  // namespace zhuyi
