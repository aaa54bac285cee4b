// A run that a command looks at; whatever had to be done otherwise than asked is said on stderr.
#pragma once
#include <string>

#include "base/language.h"
#include "train/run_folder.h"

namespace zhuyi {

// train/run_folder.h's load_run.
LoadedRun open_run(const std::string& path, const std::string& which, Language language);

// One line: the checkpoint that was asked for is damaged, and which was taken; "" when it was not.
std::string warning_of(const FoundCheckpoint& checkpoint, Language language);

}  // namespace zhuyi
