#include "run/open_run.h"

#include <cstdio>

#include "base/format.h"
#include "base/parallel.h"

namespace zhuyi {

void declare_threads(Options& options, Index& threads) {
    options.add("threads", threads, "",
                {"0: as many as there are processors", "线程数；0 表示全部处理器"}, 0,
                kMostThreads);
}

void declare_checkpoint(Options& options, std::string& which) {
    options.add("checkpoint", which, "",
                {"last, best, first or a file", "last、best、first 或文件"});
}

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
