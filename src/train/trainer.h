// The loop over the steps: batch -> forward -> backward -> clip -> optimizer, and every eval_every
// steps an evaluation and a checkpoint. The trainer tells its listeners (Listener, train/update.h)
// what happens; it does not know what they do.
#pragma once
#include <optional>
#include <vector>

#include "autograd/tape.h"
#include "train/checkpoint.h"
#include "train/config.h"
#include "train/update.h"

namespace zhuyi {

class Interrupt;

class Trainer {
  public:
    struct TrainedOn {
        std::span<const Token> training, validation;
        std::uint64_t hash;  // of the text they come from: a run goes on with this text only
        std::optional<std::uint64_t> vocabulary_hash = {};  // and with this vocabulary only
        Token end_of_text = 0;                              // after each document
    };
    // Writes first, last, previous and best into `folder`. All arguments must outlive the trainer.
    Trainer(Gpt& model, Parameters& parameters, Optimizer& optimizer, const TrainConfig& config,
            TrainedOn text, const CheckpointFolder& folder);

    void listen(Listener& listener) { listeners_.push_back(&listener); }
    // Loads the folder's last checkpoint, or the first one if the training was killed before it
    // wrote a last one. If the last one is damaged, it is kept as damaged.safetensors and the
    // previous one is used: run() repeats the steps between the two, and gets the same bits.
    FoundCheckpoint resume();
    // Makes steps until config.steps are done, config.stop_after ends it, or `interrupt` asks to
    // stop; in each case it writes the last checkpoint. When loss or gradient are not finite, it
    // throws NotFinite (train/post_mortem.h) and leaves the weights as they were before the step.
    void run(const Interrupt& interrupt);

    // After resume(): writes the last checkpoint anew and keeps it as previous, too, so that no
    // other step's takes over what is now decided for the steps after this one.
    void settle() { save("last", true); }

    // To be called between two steps: changes the whole number of steps, counted from step 0.
    void plan(Index steps);

    // How far the training has come, as a checkpoint would say it now.
    const Checkpoint& progress() const { return progress_; }
    // Returns whether config.stop_after evaluations have passed without a new best loss.
    bool stopped_early() const {
        return config_.stop_after > 0 && progress_.since_best >= config_.stop_after;
    }

  private:
    StepReport step();
    void evaluate_now();
    bool save_due(Index step) const;
    void save(const char* which, bool keep = false);  // keep: the last one as previous, in any case
    void resume_listeners(FoundCheckpoint& from);

    Gpt& model_;
    Parameters& parameters_;
    Optimizer& optimizer_;
    TrainConfig config_;
    const TrainedOn text_;
    const CheckpointFolder folder_;
    std::vector<Listener*> listeners_;
    Checkpoint progress_;
    bool begun_anew_ = false;                     // a listener, because its file was lost
    Index saved_ = -1;                            // step of the last checkpoint
    std::optional<Tape> tape_, evaluation_tape_;  // while it runs
    Batches batches_;
};

}  // namespace zhuyi
