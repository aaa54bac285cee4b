// One step: one update of the weights. For the trainer, and for everything that looks at one
// update.
//
// An argument `step` counts the updates done before: the update is number step + 1.
// StepReport::step and UpdateStep::step are the number of the update itself, from 1.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/language.h"
#include "base/real.h"
#include "text/batches.h"

namespace zhuyi {

class Gpt;
class Optimizer;
class Parameters;
class Tape;
class Watcher;
struct TrainConfig;

struct StepReport {
    Index step;   // updates done, from 1
    double loss;  // nats per token on this step's batch, before the update
    double learning_rate;
    double gradient_norm;  // before clipping
    Index tokens;          // read in this step
};

// Called with each batch before its pass begins.
using HearBatch = std::function<void(Index pass, const Batch&)>;

// The first half of update number step + 1: config.accumulate passes over draw(0), draw(1) … leave
// their gradients in Parameters::grad.
StepReport compute_gradients(Gpt& model, Parameters& parameters, Tape& tape,
                             const TrainConfig& config, Index step, const DrawBatch& draw,
                             const HearBatch& hear = {});

// Are loss and gradient finite (no infinity, no NaN)?
bool finite(const StepReport& report);
// The message if they are not: "step 7: the loss is nan …, so this update was not made".
std::string why_not_made(const StepReport& report);

// The second half: clipping and the optimizer. It leaves the gradients in Parameters::grad.
void apply_gradients(Parameters& parameters, Optimizer& optimizer, Tape& tape,
                     const TrainConfig& config, const StepReport& report);

// Both halves. Throws Error, before the weights are touched, when loss or gradient are not finite.
StepReport update(Gpt& model, Parameters& parameters, Optimizer& optimizer, Tape& tape,
                  const TrainConfig& config, Index step, const DrawBatch& draw,
                  const HearBatch& hear = {});

// ---- who wants to know what happens in a training

// The last evaluation reads the whole validation part, or so many tokens of a long one: more would
// change the loss by less than 0.01, and take longer than a short training.
constexpr Index kLastEvaluation = 250'000;

struct EvaluationReport {
    Index step;         // updates done, from 0
    double loss;        // nats per token of the first config.eval_tokens of the validation part;
                        // after the last step of kLastEvaluation tokens
    bool best = false;  // lower than ever before in this run
    // Nats per token of the validation documents, each read from its beginning (train/evaluate.h);
    // after the last step only.
    std::optional<double> document_loss = {};
};

class Listener {
  public:
    virtual ~Listener() = default;
    // Called before update number `step` is computed. Gives a watcher of the tensors and gradients
    // of this step (autograd/watching.h), or null.
    virtual Watcher* watch(Index /*step*/) { return nullptr; }
    // Called with the batch of each pass of that step, before the pass. A pass that a post-mortem
    // repeats is not reported again.
    virtual void drawn(const Batch&) {}
    // Parameters::grad still has the gradients of the step.
    virtual void step_done(const StepReport&) {}
    virtual void evaluated(const EvaluationReport&) {}
    // Called before the first step, and whenever the number of steps is planned anew.
    virtual void planned(const TrainConfig&) {}
    virtual void saved(Index /*step*/) {}

    // What the listener must know to go on exactly here (the length of its file, say). The
    // checkpoint keeps it under name(). resume() gets it back, and cuts off what was written to the
    // file after the checkpoint; with an empty state the listener begins again, as at step 0.
    virtual const char* name() const = 0;
    virtual std::string state() { return {}; }
    virtual void resume(const std::string& /*state*/) {}
    // Called after resume() has thrown, because the file is lost, damaged or another's: keeps what
    // is there under another name, and the listener begins anew. Returns that name, or "" if there
    // was no file.
    virtual std::string set_aside() { return {}; }
    // Called after that: the new file's first moment is the end of this step.
    virtual void begins_anew(Index /*step*/) {}
};

}  // namespace zhuyi
