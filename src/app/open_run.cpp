#include "app/open_run.h"

#include "base/parallel.h"
#include "system/options.h"
#include "system/output.h"

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
    tell(warning_of(run.checkpoint).in(language));
    return run;
}

}  // namespace zhuyi
