// One update of the weights: for the trainer, and for everything that looks at a single update.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/language.h"
#include "model/gpt.h"
#include "train/optimizer.h"

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

// Gives the batch of a pass of one step; it is valid until the next is drawn.
using DrawBatch = std::function<Batch(Index pass)>;
// Hears of each batch before its pass begins.
using HearBatch = std::function<void(Index pass, const Batch&)>;

// Draws the batches of a training on `text` (text/batches.h), the same for the same configuration.
class Batches {
  public:
    Batches(std::span<const Token> text, const TrainConfig& config, Index context);
    DrawBatch of_step(Index step);  // of update number step + 1

  private:
    const std::span<const Token> text_;
    const Index batch_, context_;
    const std::uint64_t seed_;
    std::vector<Token> ids_, targets_;  // (B, T)
};

// The first half of update number step + 1: config.accumulate passes over draw(0), draw(1) … leave
// their gradients in Parameters::grad.
StepReport compute_gradients(Gpt& model, Parameters& parameters, Tape& tape,
                             const TrainConfig& config, Index step, const DrawBatch& draw,
                             const HearBatch& hear = {});

// Are loss and gradient numbers?
bool finite(const StepReport& report);
// What to say if they are not: "step 7: the loss is nan …, so this update was not made".
Text why_not_made(const StepReport& report);

// The second half: clipping and the optimizer. The gradients still stand there afterwards.
void apply_gradients(Parameters& parameters, Optimizer& optimizer, Tape& tape,
                     const TrainConfig& config, const StepReport& report);

// Both. Throws Error, before the weights are touched, when loss or gradient are not finite.
StepReport update(Gpt& model, Parameters& parameters, Optimizer& optimizer, Tape& tape,
                  const TrainConfig& config, Index step, const DrawBatch& draw,
                  const HearBatch& hear = {});

}  // namespace zhuyi
