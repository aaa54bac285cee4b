// A training that goes on from its last checkpoint.
#pragma once
#include "run/session.h"

namespace zhuyi {

// The options in run.conf hold. The path of the text may be given again; on the command line may
// change: the number of steps, how often it evaluates and saves, when it stops early, and that no
// history is recorded any more.
// Any other option that differs would make another training: UsageError. Throws Error if the text
// is missing or has changed. A run that was killed before its first weights were written begins
// again. Gives the exit code, as Session::run does.
int resume_training(const TrainWish& wish, const Options& options, FaultInjection& faults);

}  // namespace zhuyi
