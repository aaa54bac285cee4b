// The learning rate over the steps.
#pragma once
#include <string>
#include <vector>

#include "base/real.h"

namespace zhuyi {

struct TrainConfig;

// From update number from + 1 on, `steps` are planned. Where the time decides (--minutes) the
// number of steps is planned anew, from the measured pace, while the model trains; the rate follows
// the newest plan. Written down in the configuration the same plans give the same training again.
struct PlannedSteps {
    Index from, steps;
};
// Reads config.plan ("0:170, 45:820"). The last plan has config.steps; where nothing is written it is
// the only one. Throws UsageError for a plan that cannot be read.
std::vector<PlannedSteps> plans_of(const TrainConfig& config);
bool planned_by_time(const TrainConfig& config);  // whether such a plan is written there
std::string text_of(const std::vector<PlannedSteps>& plans);
// The steps that are planned when update number step + 1 is made.
Index planned_steps(Index step, const std::vector<PlannedSteps>& plans);

// Whether the validation loss is measured after `step` updates: every config.eval_every steps, at
// the end, and, since it falls fastest at first, after those of 1, 3, 10, 30, 100 … steps that come
// before.
bool evaluation_due(Index step, const TrainConfig& config);
Index early_evaluations(const TrainConfig& config);  // how many come before eval_every

// Learning rate of update number step + 1: a linear warm-up, then by config.schedule down to the
// final rate: half a cosine (Loshchilov and Hutter, arXiv 1608.03983, without restarts), a line
// from the end of the warm-up to the last step, or wsd (warm-up, stable, decay: Hu et al., arXiv
// 2404.06395): the peak, and a line over the last quarter of the steps.
double learning_rate(Index step, const TrainConfig& config);

}  // namespace zhuyi
