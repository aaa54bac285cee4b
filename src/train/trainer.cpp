#include "train/trainer.h"

#include <cmath>

#include "base/check.h"
#include "base/format.h"
#include "base/hash.h"
#include "text/batches.h"
#include "train/evaluate.h"
#include "train/optimizer.h"
#include "train/schedule.h"

namespace zhuyi {

Trainer::Trainer(Gpt& model, Parameters& parameters, const TrainConfig& config, Text text,
                 const RunFolder& folder)
    : model_(model),
      parameters_(parameters),
      config_(config),
      text_(text),
      folder_(folder),
      tape_(true, config.precision),
      evaluation_tape_(false, config.precision) {
    const std::size_t size = std::size_t(config.batch * model.config().context);
    ids_.resize(size);
    targets_.resize(size);
}

void Trainer::run(const InterruptListener& interrupt) {
    if (progress_.step == 0) {
        save("first");
        evaluate_now();
        save("last");
    }
    while (progress_.step < config_.steps && !interrupt.requested()) {
        const StepReport report = step();
        for (Listener* listener : listeners_) listener->step_done(report);

        const Index done = progress_.step;
        const bool end = done == config_.steps;
        const bool evaluation_due = end || done % config_.eval_every == 0;
        const bool save_due = config_.save_every ? done % config_.save_every == 0 : evaluation_due;
        if (evaluation_due) evaluate_now();
        if (save_due || end || interrupt.requested()) save("last");
    }
}

// Gradients of `accumulate` micro-steps are averaged: each is seeded with 1 / accumulate.
StepReport Trainer::step() {
    const Index B = config_.batch, T = model_.config().context, A = config_.accumulate;
    const auto seed = std::uint64_t(config_.seed);
    double loss = 0;
    Watcher* watcher = nullptr;
    for (Listener* listener : listeners_)
        if (!watcher) watcher = listener->watch(progress_.step + 1);
    tape_.watch(watcher);
    parameters_.forget_gradients();
    for (Index micro = 0; micro < A; ++micro) {
        draw_batch(ids_, targets_, text_.training, T, seed, std::uint64_t(progress_.step),
                   std::uint64_t(micro));
        for (Listener* listener : listeners_) listener->read(ids_);
        const Pass pass{true, seed, progress_.step, micro};
        tape_.reset();
        const CrossEntropy entropy = model_.loss(tape_, ids_, targets_, B, pass);
        double sum = 0;
        for (double nats : entropy.each_row) sum += nats;
        loss += sum / double(B * T) / double(A);
        tape_.backward(entropy.mean, Real(1) / Real(A));
    }
    parameters_.settle_gradients();
    const double rate = learning_rate(progress_.step, config_);
    const double norm = gradient_norm(parameters_, tape_.workspace());
    if (!std::isfinite(loss) || !std::isfinite(norm))
        fail(format(
            "step %td: the loss is %g and the gradient's length %g, so this update was not made. "
            "The last checkpoint is good. Learning rate here: %g; try a smaller --learning-rate, "
            "a longer --warmup or a smaller --clip.",
            progress_.step + 1, loss, norm, rate));
    adamw(parameters_, config_, rate, clip_scale(norm, config_.clip), progress_.step + 1);
    ++progress_.step;
    return {progress_.step, loss, rate, norm, A * B * T};
}

void Trainer::evaluate_now() {
    const Evaluation e = evaluate(model_, evaluation_tape_, text_.validation, config_.batch);
    const bool best = e.loss() < progress_.best_loss;
    if (best) progress_.best_loss = e.loss();
    for (Listener* listener : listeners_) listener->evaluated({progress_.step, e.loss(), best});
    if (best) save("best");
}

void Trainer::save(const char* which) {
    Checkpoint checkpoint{progress_.step, progress_.best_loss, text_.hash, {}};
    for (Listener* listener : listeners_)
        checkpoint.listeners[listener->name()] = listener->state();
    write_checkpoint(folder_.checkpoint(which), parameters_, checkpoint);
    for (Listener* listener : listeners_) listener->saved(progress_.step);
}

void Trainer::resume() {
    const Checkpoint checkpoint = read_checkpoint(folder_.checkpoint("last"), parameters_);
    if (checkpoint.text_hash != text_.hash)
        fail(
            "the text is not the one this run began with (its hash is " + hash_text(text_.hash) +
            ", the checkpoint says " + hash_text(checkpoint.text_hash) +
            "). Put the text back, or begin anew from these weights: zhuyi train TEXT --from RUN.");
    progress_ = {checkpoint.step, checkpoint.best_loss};
    for (Listener* listener : listeners_) {
        const auto state = checkpoint.listeners.find(listener->name());
        listener->resume(state == checkpoint.listeners.end() ? std::string() : state->second);
    }
}

}  // namespace zhuyi
