// Shoots the film of a training run (film/history.h) as one more listener of the trainer.
//
// It reads weights, gradients and moments and writes none of them: a run with a film and one without
// have the same fingerprint. Between frames it counts tokens, which costs nothing; a frame is one pass
// over the probe sentences, a short sample, and sums over weights.
#pragma once
#include <memory>

#include "film/history_frame.h"
#include "film/history_plan.h"
#include "system/append_file.h"
#include "train/checkpoint_folder.h"
#include "train/trainer.h"

namespace zhuyi {

class HistoryRecorder : public Listener {
  public:
    // Everything outlives the recorder. Files lie in `folder`.
    struct Subject {
        Gpt& model;
        Parameters& parameters;
        const Tokenizer& tokenizer;
        const TrainConfig& train;
        CheckpointFolder folder;
    };
    HistoryRecorder(const Subject& subject, HistoryPlan plan);
    ~HistoryRecorder() override;

    bool rolling() const { return begun_; }  // there is a frame

    Watcher* watch(Index step) override;
    void read(std::span<const Token> ids) override;
    void step_done(const StepReport& report) override;
    void evaluated(const EvaluationReport& report) override;

    // Length and hash of the film so far, and the counts since its last frame.
    const char* name() const override { return "history"; }
    std::string state() override;
    void resume(const std::string& state) override;

  private:
    class LookupGradient;
    void begin(Index step);
    void load_first_weights();
    void write(RecordKind kind, const std::string& payload);
    void shoot(const LastUpdate& update);
    WatchedFrame watched_frame(const LastUpdate& update);
    void add_gradient_parts(WatchedFrame& frame, const LastUpdate& update);

    const Subject subject_;
    const HistoryPlan plan_;
    const Tensor E_;                 // token embedding (V, C)
    std::vector<Index> place_of_;    // (V): where in plan_.watched a token stands, or -1
    std::vector<Token> candidates_;  // tokens that can be neighbours: those the text has
    std::vector<const Parameter*> matrices_;

    AppendFile file_;
    bool begun_ = false;
    std::vector<Real> first_;  // all values at step 0
    std::vector<double>
        last_moved_;  // (watched, C): E at the last frame - E at the start, as filmed
    std::vector<std::uint32_t> met_;  // (watched): since the last frame
    CurvePoint bucket_;               // sums of the curve point that is being collected
    std::unique_ptr<LookupGradient> lookup_;
    Tape tape_{false};
};

// Error: the film is not the one that a checkpoint with this state of the recorder belongs to.
// Gives it as far as the state reaches.
History verify_film(const std::string& path, const std::string& state);

}  // namespace zhuyi
