// Who wants to know what happens in a training. Metrics, samples, progress line and history all
// listen to the trainer (train/trainer.h), which knows none of them.
#pragma once
#include <optional>
#include <span>
#include <string>

#include "base/real.h"

namespace zhuyi {

class Watcher;
struct Batch;
struct StepReport;
struct TrainConfig;

struct EvaluationReport {
    Index step;   // updates done, from 0
    double loss;  // nats per token over config.eval_tokens of the validation part, at last over all
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
    // Called before each pass of that step. A pass that a post-mortem repeats is not reported
    // again.
    virtual void read(const Batch&) {}
    // Parameters::grad still has the gradients of the step (train/update.h).
    virtual void step_done(const StepReport&) {}
    virtual void evaluated(const EvaluationReport&) {}
    // Before the first step, and whenever the number of steps is planned anew.
    virtual void planned(const TrainConfig&) {}
    virtual void saved(Index /*step*/) {}

    // What the listener must know to go on exactly here (the length of its file, say). The
    // checkpoint keeps it under name(). resume() gets it back, and cuts off what was written to the
    // file after the checkpoint; with an empty state the listener begins again, as at step 0.
    virtual const char* name() const = 0;
    virtual std::string state() { return {}; }
    virtual void resume(const std::string& /*state*/) {}
    // Where resume() has thrown, because the file is lost, damaged or another's: what is there is
    // kept under another name, and the listener begins again from here on. Gives that name; "":
    // there was nothing.
    virtual std::string set_aside() { return {}; }
};

}  // namespace zhuyi
