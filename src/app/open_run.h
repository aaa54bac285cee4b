// What the commands that look at a run have in common: two options, and opening the run. Where
// another checkpoint had to be taken than was asked for, a warning goes to stderr.
#pragma once
#include <string>

#include "base/language.h"
#include "run/loaded_run.h"
#include "system/options.h"

namespace zhuyi {

void declare_threads(Options& options, Index& threads);
void declare_checkpoint(Options& options, std::string& which);
void declare_silence(Options& options, std::string& parts);

// run/loaded_run.h's load_run; `silence`: parts of the model that are silenced ("2.3,1.ffn").
LoadedRun open_run(const std::string& path, const std::string& which,
                   const std::string& silence = "");

// The text of --`option` as a whole number. UsageError, with what was expected, when it is none.
Index whole_number(const std::string& text, const char* option, const Words& expected);

}  // namespace zhuyi
