// Which words pushed an embedding: while a training goes on, each update of a few rows of E is
// split by the contexts whose gradients are in it (film/history_plan.h, train/moved_by.h). It is
// a listener of its own: it hears of a step before the recorder, which asks it for its numbers.
//
// It changes no number of the training. A step costs, for each of the tokens, a look at the batch,
// and an addition of C numbers for every position whose context has a place.
#pragma once

#include "autograd/watching.h"
#include "film/history_plan.h"
#include "film/measure.h"
#include "train/moved_by.h"
#include "train/update.h"

namespace zhuyi {

class Optimizer;
class Parameters;
struct Parameter;

class Pushes : public Listener, private Watcher {
  public:
    // All of these must outlive it. tied: the output layer shares E.
    Pushes(Parameters& parameters, Optimizer& optimizer, const TrainConfig& config, bool tied,
           PushPlan plan);

    // "pushed" and "pushed.contexts"; "pushed.moved" and "pushed.divisor".
    void describe(Measured& out) const;
    void measure(Measured& out) const;
    const MovedBy& moved(Index token) const { return moved_[token]; }

    Watcher* watch(Index step) override;
    void drawn(const Batch& batch) override { batch_ = batch; }
    void step_done(const StepReport& report) override;
    const char* name() const override { return "pushes"; }
    // What MovedBy keeps of each token, as base64.
    std::string state() override;
    void resume(const std::string& state) override;

  private:
    bool wants(std::string_view name) const override;
    void value(std::string_view name, const Tensor& tensor) override;
    void gradient(std::string_view name, const Tensor& tensor, In gradient) override;
    void add_reads(Index token, View<const Real> dx);
    void add_predictions(Index token, View<const Real> dz);
    Out row(Out table, Index token) const;

    Parameters& parameters_;
    Optimizer& optimizer_;
    const TrainConfig& config_;
    const bool tied_;
    const PushPlan plan_;
    const Parameter& E_;
    const Index C_;
    enum class State { new_one, going, late } state_ = State::new_one;
    List<MovedBy> moved_;  // of each token
    List<std::vector<Real>> before_;
    List<List<Index>> answers_, guesses_;  // (tokens, V): place of a token before
    Batch batch_{};
    View<const Real> last_{};  // (B T, C): what the output layer reads
    Numbers divisor_;          // (tokens, C): √v̂ + ε of the last update
};

}  // namespace zhuyi
