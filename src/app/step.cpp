#include "app/command.h"
#include "app/open_run.h"
#include "app/sheet_output.h"
#include "base/parallel.h"
#include "run/worked_sheets.h"

namespace zhuyi {
namespace {

class StepCommand : public Command {
  public:
    StepCommand()
        : Command("step", "RUN [--format html|markdown|json]",
                  {"make one training step on a copy and see what it changes",
                   "在副本上训练一步，看它改了什么"}) {}

    void declare(Options& options) override {
        options.group({"step", "一步"});
        declare_checkpoint(options, checkpoint_);
        declare_threads(options, threads_);
        output_.declare(options);
    }
    int run(const std::vector<std::string>& words, const Options& options,
            Language language) override;

  private:
    std::string checkpoint_ = "last";
    Index threads_ = 0;
    SheetOutput output_;
};

int StepCommand::run(const std::vector<std::string>& words, const Options&, Language language) {
    const std::string& run = only_word(words, kOneRun, "zhuyi step runs/stories");
    set_thread_count(int(threads_));
    output_.write(next_step_sheet(open_run(run, checkpoint_, language)), language);
    return 0;
}

}  // namespace

std::unique_ptr<Command> step_command() { return std::make_unique<StepCommand>(); }

}  // namespace zhuyi
