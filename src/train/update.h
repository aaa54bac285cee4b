// One update of the weights. The trainer makes all of its own here, and so does whoever wants to look at a single one.
#pragma once
#include <functional>
#include <string>

#include "model/gpt.h"
#include "train/config.h"

namespace zhuyi {

struct StepReport {
    Index step;   // updates done, from 1
    double loss;  // nats per token on this step's batch, before the update
    double learning_rate;
    double gradient_norm;  // before clipping
    Index tokens;          // read in this step
};

struct Batch {
    std::span<const Token> ids, targets;  // (texts, T)
    Index texts;                          // B
};

using DrawBatch = std::function<Batch(Index pass)>;

// The first half of update number step + 1: config.accumulate passes over batch(0), batch(1) … leave their gradients in
// Parameters::grad.
StepReport compute_gradients(Gpt& model, Parameters& parameters, Tape& tape,
                             const TrainConfig& config, Index step, const DrawBatch& batch);

// Are loss and gradient numbers?
bool finite(const StepReport& report);
// What to say when they are not: "step 7: the loss is nan …, so this update was not made".
std::string why_not_made(const StepReport& report);

// The second: clipping and AdamW. The gradients still stand there afterwards.
void apply_gradients(Parameters& parameters, Tape& tape, const TrainConfig& config,
                     const StepReport& report);

// Both. Throws Error, before the weights are touched, when loss or gradient are not finite.
StepReport update(Gpt& model, Parameters& parameters, Tape& tape, const TrainConfig& config,
                  Index step, const DrawBatch& batch);

}  // namespace zhuyi
