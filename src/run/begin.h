// A training from its first step.
#pragma once
#include "run/session.h"

namespace zhuyi {

// The run folder where none is named: runs/poems for poems.txt, ../poems/ and runs/poems.conf.
std::string default_folder(const std::string& path);
// `folder`, or where that holds a run the first of "folder-2", "folder-3" … that holds none.
std::string free_folder(const std::string& folder);

// Makes the run folder and trains. What could not work is refused before anything is written.
// `options` says which fields of `wish` the user has set. Gives the exit code, as Session::run
// does. Throws UsageError and Error.
int begin_training(const TrainWish& wish, const Options& options, FaultInjection& faults);

}  // namespace zhuyi
