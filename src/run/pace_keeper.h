// Keeps a training within its time (--minutes). How many steps fit is guessed before the first one;
// at 1/16, 1/8, 1/4, 1/2 and 3/4 of the time it is planned anew from the pace since the plan
// before, and every plan is written to run.conf, so that the same steps can be made again anywhere.
#pragma once
#include <chrono>

#include "cost/run_config.h"
#include "run/run_folder.h"
#include "train/trainer.h"

namespace zhuyi {

class PaceKeeper : public Listener {
  public:
    using Clock = std::chrono::steady_clock;
    // seconds: of the whole command, which began at `begun`. config: gets the new plans. All
    // arguments must outlive it.
    PaceKeeper(double seconds, Clock::time_point begun, Trainer& trainer, RunConfig& config,
               const RunFolder& folder);

    Watcher* watch(Index step) override;  // none; the clock of the first plan starts here
    void step_done(const StepReport& report) override;
    void evaluated(const EvaluationReport& report) override;
    void planned(const TrainConfig& training) override;
    const char* name() const override { return "pace"; }

  private:
    double elapsed() const;

    const double seconds_;
    const Clock::time_point begun_;
    Trainer& trainer_;
    RunConfig& config_;
    const RunFolder folder_;
    std::size_t next_ = 0;  // share of the time at which it plans anew
    Index step_ = -1;       // of the plan before; -1: no step was made yet
    double then_;           // seconds, when it was made
    double end_ = 0;        // seconds that the last evaluation and the last checkpoint will take
};

}  // namespace zhuyi
