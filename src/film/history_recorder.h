// Records the history of a training (film/history.h) as one more listener of the trainer.
//
// It reads weights, gradients and the sizes of updates, and changes no number of the training: a
// training that is recorded and one that is not have the same fingerprint. Between frames it only
// counts tokens and sums up the curve, which costs almost nothing. A frame costs one pass over each
// watched sentence, a short sample, and sums over the weights.
#pragma once
#include "autograd/tape.h"
#include "film/history_plan.h"
#include "film/measure.h"
#include "system/append_file.h"
#include "text/ngram.h"
#include "text/tokenized.h"
#include "train/checkpoint.h"
#include "train/update.h"

namespace zhuyi {

class Optimizer;
class Pushes;

class HistoryRecorder : public Listener {
  public:
    // All of these must outlive the recorder. The history is written into `folder`.
    struct Subject {
        Gpt& model;
        Parameters& parameters;
        Optimizer& optimizer;
        const Tokenizer& tokenizer;
        CheckpointFolder folder;
        TokensPerCharacter per_character{};
        Levels levels{};
        std::span<const Token> train{};  // tokens of the training part
        const Pushes* pushes = nullptr;  // hears of each step before the recorder; null if absent
    };
    HistoryRecorder(const Subject& subject, HistoryPlan plan);

    bool begun() const { return begun_; }  // the file has a start and a frame

    Watcher* watch(Index step) override;
    void drawn(const Batch& batch) override;
    void step_done(const StepReport& report) override;
    void evaluated(const EvaluationReport& report) override;
    void planned(const TrainConfig& training) override;

    // Length and hash of the file so far, and what was counted since its last frame.
    const char* name() const override { return "history"; }
    std::string state() override;
    void resume(const std::string& state) override;
    std::string set_aside() override;
    void begins_anew(Index step) override { begins_at_ = step; }

  private:
    void begin(Index step);
    void load_first_weights();
    void check_same_film(const History& history) const;
    Frame packed(Index step, const Measured& measured, bool once) const;
    In first_of(const std::string& row) const;
    void record_frame(Index step, bool updated);
    bool fits(Index step) const;
    void count(const Frame& frame);
    void count_all(const History& history);
    void add(const std::string& record);  // of the curve, of an evaluation

    const Subject subject_;
    HistoryPlan plan_;
    const Tensor E_;                 // token embedding (V, C)
    List<Index> place_of_;           // (V): index of a token in plan_.watched, or -1
    std::vector<Token> candidates_;  // tokens that can be neighbours: those that occur in the text

    AppendFile file_;
    History start_;  // the file's start; no frames
    bool begun_ = false;
    Index begins_at_ = -1;     // the step at which it begins anew
    double frame_bytes_ = 0;   // of the last frame without its snapshot
    double other_bytes_ = 0;   // of what has room of its own: snapshots, the curve, evaluations
    std::vector<Real> first_;  // all values at step 0
    // (watched, C): E at the last frame minus E at step 0, as the file has it
    List<double> last_moved_;
    List<double> met_;   // (watched): times read since the last frame
    List<double> path_;  // of each row of the table: the lengths of all updates, added up
    std::vector<Followed> followed_;  // of each sentence
    std::vector<bool> punctuation_;   // (V)
    CurvePoint sums_;  // of the curve point that is being collected; `step` counts them
    LookupGradient lookup_;
    Tape tape_{false};
};

}  // namespace zhuyi
