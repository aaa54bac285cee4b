// The learning rate over the steps.
#pragma once
#include "base/real.h"

namespace zhuyi {

struct TrainConfig;

// Learning rate of update number step + 1: a linear warm-up, then by config.schedule down to the
// final rate: half a cosine (Loshchilov and Hutter, arXiv 1608.03983, without restarts), a line
// from the end of the warm-up to the last step, or wsd (warm-up, stable, decay: Hu et al., arXiv
// 2404.06395): the peak, and a line over the last quarter of the steps.
double learning_rate(Index step, const TrainConfig& config);

}  // namespace zhuyi
