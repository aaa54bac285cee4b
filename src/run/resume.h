// A training that goes on from its last checkpoint.
#pragma once
#include "run/session.h"

namespace zhuyi {

// The options of the run itself hold. The path of its text may be given anew, and on the command
// line how far it goes, how often it is evaluated and saved, and whether it is filmed; any other
// that differs would be another training: UsageError. Error: its text is not there or another.
// A run that was killed before its first weights were written begins anew.
void resume_training(const TrainWish& wish, const Options& options, FaultInjection& faults,
                     Language language);

}  // namespace zhuyi
