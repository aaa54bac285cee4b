// What the commands that look at a run have in common: two options, and the run itself; whatever had to be done
// otherwise than asked is said on stderr.
#pragma once
#include <string>

#include "base/language.h"
#include "run/run_folder.h"
#include "system/options.h"

namespace zhuyi {

void declare_threads(Options& options, Index& threads);
void declare_checkpoint(Options& options, std::string& which);

// run/run_folder.h's load_run.
LoadedRun open_run(const std::string& path, const std::string& which, Language language);

// One line: the checkpoint that was asked for is damaged, and which was taken; "" when it was not.
std::string warning_of(const FoundCheckpoint& checkpoint, Language language);

}  // namespace zhuyi
