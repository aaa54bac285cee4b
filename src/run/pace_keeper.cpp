#include "run/pace_keeper.h"

#include <algorithm>
#include <cmath>

namespace zhuyi {
namespace {

constexpr double kShares[] = {1.0 / 16, 1.0 / 8, 1.0 / 4, 1.0 / 2, 3.0 / 4};
constexpr double kPage = 0.01;  // of the time, for the page and the samples at the end

}  // namespace

PaceKeeper::PaceKeeper(double seconds, Clock::time_point begun, Trainer& trainer, RunConfig& config,
                       const RunFolder& folder)
    : seconds_(seconds),
      begun_(begun),
      trainer_(trainer),
      config_(config),
      folder_(folder),
      then_(elapsed()) {}

double PaceKeeper::elapsed() const {
    return std::chrono::duration<double>(Clock::now() - begun_).count();
}

Watcher* PaceKeeper::watch(Index step) {
    if (step_ < 0) step_ = step - 1, then_ = elapsed();
    return nullptr;
}

void PaceKeeper::evaluated(const EvaluationReport& report) {
    if (report.step == 0) end_ = elapsed() - then_;
}

void PaceKeeper::step_done(const StepReport& report) {
    const double now = elapsed();
    if (next_ == std::size(kShares) || now < kShares[next_] * seconds_) return;
    while (next_ < std::size(kShares) && now >= kShares[next_] * seconds_) ++next_;
    if (report.step >= config_.train.steps) return;
    const double pace = (now - then_) / double(report.step - step_);  // evaluations included
    const double left = (1 - kPage) * seconds_ - now - end_;
    step_ = report.step, then_ = now;
    trainer_.plan(report.step + std::max<Index>(1, Index(std::floor(left / pace))));
}

void PaceKeeper::planned(const TrainConfig& training) {
    if (training.plan == config_.train.plan) return;
    config_.train = training;
    write_run_config(folder_, config_);
}

}  // namespace zhuyi
