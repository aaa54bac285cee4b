// The loop: batch -> forward -> backward -> clip -> AdamW, and now and then an evaluation and a
// checkpoint. The trainer tells its listeners and knows none of them: metrics, samples, progress
// bar and history are all listeners.
#pragma once
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "autograd/tape.h"
#include "model/gpt.h"
#include "system/interrupt.h"
#include "train/checkpoint.h"
#include "train/checkpoint_folder.h"
#include "train/config.h"
#include "train/post_mortem.h"
#include "train/update.h"

namespace zhuyi {

struct EvaluationReport {
    Index step;   // updates done, from 0
    double loss;  // nats per token over the whole validation part
    bool best;    // lower than ever before in this run
};

class Listener {
  public:
    virtual ~Listener() = default;
    // Before update number `step` is computed: gives a watcher to see its tensors and gradients, or
    // null.
    virtual Watcher* watch(Index /*step*/) { return nullptr; }
    // The tokens of each pass of that update, before it is run; a pass that a post-mortem runs
    // again is not heard of.
    virtual void read(std::span<const Token> /*ids*/) {}
    virtual void step_done(const StepReport&) {}  // the gradients still stand in Parameters::grad
    virtual void evaluated(const EvaluationReport&) {}
    virtual void saved(Index /*step*/) {}

    // What must be known to go on exactly here (the length of a file, say). It travels in the
    // checkpoint under name(); resume() gets it back and cuts off what was written after it; with
    // an empty state it begins anew, as every run does at step 0.
    virtual const char* name() const = 0;
    virtual std::string state() { return {}; }
    virtual void resume(const std::string& /*state*/) {}
};

// Where a trainer stands; all of it is in the checkpoint.
struct Progress {
    Index step = 0;
    double best_loss = std::numeric_limits<double>::infinity();
};

class Trainer {
  public:
    struct Text {
        std::span<const Token> training, validation;
        std::uint64_t hash;  // of the text they come from: a run goes on with no other
        std::optional<std::uint64_t> vocabulary_hash = {};  // nor with one of these
    };
    // Writes first, last, previous and best into `folder`. Everything outlives the trainer.
    Trainer(Gpt& model, Parameters& parameters, Optimizer& optimizer, const TrainConfig& config,
            Text text, const CheckpointFolder& folder);

    void listen(Listener& listener) { listeners_.push_back(&listener); }
    // Goes on from the folder's last checkpoint, or from its first one where the training was
    // killed before the last. The previous one takes the place of a last one that is damaged (which
    // is kept as damaged.safetensors): the steps between are made again, to the same bits.
    FoundCheckpoint resume();
    // Until config.steps are done or `interrupt` asks to stop; either way the last checkpoint is
    // written. Throws NotFinite (train/post_mortem.h) when loss or gradient stop being finite:
    // before the weights are touched.
    void run(const InterruptListener& interrupt);

    const Progress& progress() const { return progress_; }
    std::size_t bytes() const { return tape_.bytes() + evaluation_tape_.bytes(); }

  private:
    StepReport step();
    void evaluate_now();
    void save(const char* which);
    void put_in_place_of_last(const std::filesystem::path& good);

    Gpt& model_;
    Parameters& parameters_;
    Optimizer& optimizer_;
    const TrainConfig config_;
    const Text text_;
    const CheckpointFolder folder_;
    std::vector<Listener*> listeners_;
    Progress progress_;
    Index saved_ = -1;  // step of the last checkpoint
    Tape tape_, evaluation_tape_;
    Batches batches_;
};

}  // namespace zhuyi
