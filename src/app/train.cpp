#include <filesystem>
#include <utility>

#include "app/command.h"
#include "base/check.h"
#include "base/parallel.h"
#include "base/utf8.h"
#include "run/session.h"
#include "system/printable.h"
#include "system/terminal.h"

namespace zhuyi {
namespace {

namespace fs = std::filesystem;

class TrainCommand : public Command {
  public:
    TrainCommand()
        : Command("train", "CONFIG|TEXT|RUN [--out RUN] [--resume] [--key=value …]",
                  {"train a model on a text", "用一份文本训练模型"}) {}

    void declare(Options& options) override {
        options.group({"run", "训练目录"});
        options.add("out", wish_.folder, "",
                    {"the run folder to make; without it runs/ and the name of the configuration "
                     "or text, and -2, -3 … behind it if that folder exists",
                     "要创建的训练目录；默认是 runs/ 加配置或文本的名字，已有时加 -2、-3……"});
        options.never_empty();
        options.add("resume", resume_,
                    {"go on from the run's last checkpoint; --steps, --eval-every, --save-every, "
                     "--stop-after and --data may change, --history may be switched off",
                     "从上次的检查点继续；可以改 --steps、--eval-every、--save-every、--stop-after "
                     "和 --data，可以关掉 --history"});
        options.add(
            "minutes", wish_.minutes, "minutes",
            {"train for this time, which decides how many steps are made; 0: --steps decides",
             "代替 --steps：按时间选定步数；0 表示由 --steps 决定"},
            0, 1e6);
        options.add("from", wish_.from, "",
                    {"start from the weights and the vocabulary of this run (fine-tuning)",
                     "从另一个训练目录的权重和词表开始（微调）"});
        options.never_empty();
        options.add(
            "threads", threads_, "",
            {"how many threads work; 0: one for each processor. The result is the same to the bit",
             "线程数；0 表示全部处理器；结果逐位相同，与线程数无关"},
            0, kMostThreads);
        options.add(
            "lock", wish_.lock,
            {"refuse to train in a folder where another training is at work; =no: do not look",
             "有别的训练正在使用这个目录时拒绝训练；=no：不检查"});
        zhuyi::declare(options, wish_.config);
        options.add_hidden("inject", inject_);
    }

    void prepare(const std::vector<std::string>& words, Options& options) override {
        if (words.size() > 1)
            fail_usage({"train takes one CONFIG, TEXT or RUN; found also %s",
                        "train 只接受一个配置、文本或训练目录；这里还多出 %s"},
                       in_quotes(words[1]));
        if (words.empty()) return;
        const std::string& word = words[0];
        if (word.empty())
            fail_usage({"train needs a CONFIG, a TEXT or a RUN; found an empty name",
                        "train 需要一个配置、文本或训练目录；这里是空的名字"});
        if (RunFolder{word}.is_run()) {
            wish_.folder = word;
        } else if (fs::path(word).extension() == ".conf") {
            options.read_file(word);
            if (wish_.folder.empty()) wish_.folder = default_folder(word);
        } else {
            wish_.config.text.data = word;
            wish_.suits_the_text = true;
            if (wish_.folder.empty()) wish_.folder = default_folder(word);
        }
    }

    int run(const std::vector<std::string>& words, const Options& options) override {
        if (words.empty() && wish_.config.text.data.empty())
            fail_usage({"train needs a CONFIG, a TEXT or a RUN: zhuyi train configs/village.conf",
                        "train 需要一个配置、文本或训练目录：zhuyi train configs/village.conf"});
        if (!words.empty() && options.on_command_line("out") && RunFolder{words[0]}.is_run() &&
            wish_.folder != words[0])
            fail_usage({"%s is a run, and so its own folder; found --out %s. Leave --out out to go "
                        "on with it, or begin a new run from its weights: --from %s",
                        "%s 本身就是训练目录，这里又写了 --out %s。要继续训练它，请去掉 --out；"
                        "要从它的权重开始新的训练，请用 --from %s"},
                       printable(words[0]), printable(wish_.folder), shell_word(words[0]));
        FaultInjection faults(inject_);
        set_thread_count(int(threads_));
        if (wish_.folder.empty()) wish_.folder = default_folder(wish_.config.text.data);
        if (const bool named =
                options.was_set("out") || (!words.empty() && RunFolder{words[0]}.is_run());
            !named && !resume_) {
            const std::string taken = std::exchange(wish_.folder, free_folder(wish_.folder));
            if (taken != wish_.folder)
                wish_.elsewhere =
                    say({"%s holds a run already (zhuyi train --resume %s would go on with it): "
                         "this one goes to %s\n",
                         "%s 已是训练目录（接着训练：zhuyi train --resume %s）：这次写到 %s\n"},
                        printable(taken), shell_word(taken), printable(wish_.folder));
        }
        if (!RunFolder{wish_.folder}.is_run()) {
            if (resume_) check_is_text(words, options.on_command_line("out"));
            return begin_training(wish_, options, faults);
        }
        if (!resume_)
            fail_usage({"%s holds a run already. Go on with it: zhuyi train --resume %s; or give "
                        "another folder: --out RUN.",
                        "%s 已是训练目录。接着训练：zhuyi train --resume %s；"
                        "或换一个目录：--out 目录。"},
                       printable(wish_.folder), shell_word(wish_.folder));
        return resume_training(wish_, options, faults);
    }

  private:
    // `train --resume TEXT` begins a new run. A NAME that is neither a run nor a text is an error.
    // (A folder is the run to go on with, but where --out names the run.)
    void check_is_text(const std::vector<std::string>& words, bool out) const {
        if (!wish_.suits_the_text || words[0] == "-" || fs::is_regular_file(words[0]) ||
            (out && fs::is_directory(words[0])))
            return;
        fail({"%s: no run folder (%s). `zhuyi train` without --resume makes one.",
              "%s：不是训练目录（%s）。不带 --resume 的 zhuyi train 会创建一个。"},
             printable(words[0]),
             fs::exists(words[0]) ? say({"it has no run.conf", "没有 run.conf"})
                                  : runs_beside(words[0]));
    }

    TrainWish wish_;
    std::string inject_;
    bool resume_ = false;
    Index threads_ = 0;
};

}  // namespace

std::unique_ptr<Command> train_command() { return std::make_unique<TrainCommand>(); }

}  // namespace zhuyi
