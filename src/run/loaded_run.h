// A run whose model is ready to use.
#pragma once
#include <memory>
#include <string>

#include "autograd/watching.h"
#include "base/language.h"
#include "cost/plan.h"
#include "model/loaded_model.h"
#include "run/run_folder.h"

namespace zhuyi {

struct LoadedRun : LoadedModel {
    RunFolder folder;
    RunConfig config;
    FoundCheckpoint checkpoint;
    // Why the checkpoint may be another run's; empty if it is not.
    std::string doubt;
    std::unique_ptr<Watcher> watcher;  // of every pass of the model; null if nobody watches
};

// which: "best", "last", "first" or a file. Throws Error when the folder is no run, has no
// checkpoint yet, or the checkpoint has other shapes than run.conf says.
LoadedRun load_run(const std::string& path, const std::string& which = "best");

}  // namespace zhuyi
