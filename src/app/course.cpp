#include <filesystem>

#include "app/command.h"
#include "app/open_run.h"
#include "app/sheet_output.h"
#include "run/course_run.h"
#include "system/printable.h"

namespace zhuyi {
namespace {

class CourseCommand : public Command {
  public:
    CourseCommand()
        : Command(
              "course", "[9|9.4|notes|tutorial|essay|more|errata|all] [--run RUN]",
              {"the course, chapter by chapter: what to type, what to see, what is printed wrong",
               "课程导读：逐章说明敲什么命令、看什么，以及勘误"}) {}

    void declare(Options& options) override {
        options.group({"course", "课程"});
        options.add("run", run_, "", {"the run to look at", "看哪个训练目录"});
        declare_checkpoint(options, checkpoint_);
        output_.declare(options);
    }
    int run(const std::vector<std::string>& words, const Options& options) override {
        if (words.size() > 1)
            fail_usage({"course takes one chapter; found also %s", "course 只取一章；多出了 %s"},
                       in_quotes(words[1]));
        std::error_code ignored;
        if (!options.was_set("run") && !std::filesystem::exists(run_, ignored))
            fail(
                {"the course looks at a model of yours, and %s is not there yet: type make demo (a "
                 "minute), or name a run: --run RUN",
                 "课程导读要看你自己的模型，而 %s 还没有：先运行 make demo（约一分钟），或用 --run "
                 "RUN "
                 "指定训练目录"},
                printable(run_));
        const LoadedRun loaded = open_run(run_, checkpoint_);
        CourseRun course = course_run(loaded, run_);
        if (std::filesystem::exists("build/zhuyi", ignored)) course.program = "build/zhuyi";
        output_.write(words.empty() ? course_contents(course) : course_sheet(words[0], course));
        return 0;
    }

  private:
    std::string run_ = "runs/village", checkpoint_ = "best";
    SheetOutput output_;
};

}  // namespace

std::unique_ptr<Command> course_command() { return std::make_unique<CourseCommand>(); }

}  // namespace zhuyi
