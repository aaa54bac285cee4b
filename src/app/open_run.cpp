#include "app/open_run.h"

#include <cstdio>

#include "base/format.h"

namespace zhuyi {

LoadedRun open_run(const std::string& path, const std::string& which, Language language) {
    LoadedRun run = load_run(path, which);
    std::fputs(warning_of(run.checkpoint, language).c_str(), stderr);
    return run;
}

std::string warning_of(const FoundCheckpoint& checkpoint, Language language) {
    if (checkpoint.damage.empty()) return "";
    return format(
        language == Language::chinese
            ? "zhuyi：警告：%s。改用它之前的那个检查点，第 %td 步（%s）。\n"
            : "zhuyi: warning: %s. The one before it is used instead, of step %td (%s).\n",
        checkpoint.damage.c_str(), checkpoint.step, checkpoint.file.c_str());
}

}  // namespace zhuyi
