#include "app/command.h"
#include "run/run_files.h"
#include "system/printable.h"
#include "system/terminal.h"

namespace zhuyi {
namespace {

class VerifyCommand : public Command {
  public:
    VerifyCommand()
        : Command("verify", "RUN|FILE",
                  {"check a run or a file for damage, and say what can still be used",
                   "检查训练目录或文件是否损坏，哪些还能用"}) {}

    int run(const std::vector<std::string>& words, const Options&) override {
        const std::string& path = only_word(words, {"one RUN or FILE", "一个训练目录或文件"},
                                            "zhuyi verify runs/village");
        const Verified verified = verify(path, [&](const Finding& found) {
            print(fit_left(found.file, 20) + " " + fit_left(say(words_of(found.verdict)), 8) + " " +
                  printable(found.text) + "\n");
        });
        if (!verified.usable.empty()) print("\n" + verified.usable);
        return verified.passed ? 0 : 1;
    }
};

}  // namespace

std::unique_ptr<Command> verify_command() { return std::make_unique<VerifyCommand>(); }

}  // namespace zhuyi
