// The learning rate over the steps.
#pragma once
#include "train/config.h"

namespace zhuyi {

// Learning rate of update number step + 1: a linear warm-up, then half a cosine down to
// the final rate (Loshchilov and Hutter, arXiv 1608.03983, without restarts).
double learning_rate(Index step, const TrainConfig& config);

}  // namespace zhuyi
