#include <algorithm>
#include <span>

#include "app/command.h"
#include "app/shared.h"
#include "run/run_list.h"
#include "system/printable.h"

namespace zhuyi {
namespace {

class RunsCommand : public Command {
  public:
    RunsCommand()
        : Command("runs", "[FOLDER] | --compare RUN RUN",
                  {"which runs there are: text, shape, steps, loss, fingerprint, time, size",
                   "列出训练目录：文本、结构、步数、损失、指纹、用时、大小"}) {}

    void declare(Options& options) override {
        options.group({"runs", "训练目录"});
        options.add("compare", compare_,
                    {"two runs: in what their configurations and results differ",
                     "比较两个训练目录：配置和结果有什么不同"});
        output_.declare_format(options);
    }
    int run(const std::vector<std::string>& words, const Options&) override {
        if (compare_) {
            if (words.size() != 2)
                fail_usage({"runs --compare takes two runs: zhuyi runs --compare runs/a runs/b",
                            "runs --compare 需要两个训练目录：zhuyi runs --compare runs/a runs/b"});
            output_.write(compared_runs(summary_of(runs_in(words[0]).at(0)),
                                        summary_of(runs_in(words[1]).at(0))));
            return 0;
        }
        if (words.size() > 1)
            fail_usage(
                {"runs takes one folder; found also %s", "runs 只需要一个目录；这里还多出 %s"},
                in_quotes(words[1]));
        const std::string folder = words.empty() ? "runs" : words[0];
        const std::vector<std::string> runs = runs_in(folder);
        if (runs.empty())
            fail({"%s: no run folder in it. `zhuyi train` makes one.",
                  "%s：里面没有训练目录。用 zhuyi train 创建一个。"},
                 printable(folder));
        // A person sees the first ones while the others are read.
        const std::size_t at_once = output_.for_terminal() ? kAtOnce : runs.size();
        for (std::span<const std::string> left = runs; !left.empty();) {
            const auto some = left.first(std::min(at_once, left.size()));
            output_.write(runs_sheet(some));
            left = left.subspan(some.size());
        }
        return 0;
    }

  private:
    static constexpr std::size_t kAtOnce = 100;
    bool compare_ = false;
    SheetOutput output_;
};

}  // namespace

std::unique_ptr<Command> runs_command() { return std::make_unique<RunsCommand>(); }

}  // namespace zhuyi
