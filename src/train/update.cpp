#include "train/update.h"

#include <cmath>

#include "autograd/tape.h"
#include "base/check.h"
#include "model/gpt.h"
#include "model/parameters.h"
#include "ops/cross_entropy.h"
#include "train/config.h"
#include "train/optimizer.h"

namespace zhuyi {

// The gradient is the mean over `accumulate` passes: each backward begins with 1 / accumulate.
StepReport compute_gradients(Gpt& model, Parameters& parameters, Tape& tape,
                             const TrainConfig& config, Index step, const DrawBatch& draw,
                             const HearBatch& hear) {
    const Index A = config.accumulate;
    double loss = 0;
    Index tokens = 0;
    parameters.forget_gradients();
    tape.dropouts() = {std::uint64_t(config.seed), Stream::dropout, std::uint64_t(step)};
    for (Index pass = 0; pass < A; ++pass) {
        const Batch drawn = draw(pass);
        if (hear) hear(pass, drawn);
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
    return say(
        {"step %td: the loss is %g and the gradient's length %g, so this update was not made",
         "第 %td 步：损失是 %g，梯度范数是 %g，所以没有做这次更新"},
        report.step, report.loss, report.gradient_norm);
}

void apply_gradients(Parameters& parameters, Optimizer& optimizer, Tape& tape,
                     const TrainConfig& config, const StepReport& report) {
    optimizer.update(
        parameters,
        {report.step, report.learning_rate, clip_scale(report.gradient_norm, config.clip)},
        [&](const char* rule) { tape.lap(Phase::update, rule); });
}

StepReport update(Gpt& model, Parameters& parameters, Optimizer& optimizer, Tape& tape,
                  const TrainConfig& config, Index step, const DrawBatch& draw,
                  const HearBatch& hear) {
    const StepReport report = compute_gradients(model, parameters, tape, config, step, draw, hear);
    if (!finite(report)) fail(why_not_made(report));
    apply_gradients(parameters, optimizer, tape, config, report);
    return report;
}

}  // namespace zhuyi
