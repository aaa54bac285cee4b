#include <filesystem>

#include "app/command.h"
#include "base/check.h"
#include "base/parallel.h"
#include "run/begin.h"
#include "run/resume.h"
#include "system/printable.h"
#include "text/encoding.h"

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
                    {"run folder to make; default: runs/ and the name of the configuration or text",
                     "要创建的训练目录；默认是 runs/ 加配置或文本的名字"});
        options.add(
            "resume", resume_,
            {"go on from the run's last checkpoint; --steps, --eval-every, --save-every and "
             "--data may change, --history may be switched off",
             "从上次的检查点继续；可以改 --steps、--eval-every、--save-every 和 --data，"
             "可以关掉 --history"});
        options.add("minutes", wish_.minutes, "minutes",
                    {"instead of --steps: as many as fit into this time; 0: --steps says",
                     "代替 --steps：按时间选定步数；0 表示由 --steps 决定"},
                    0, 1e6);
        options.add("from", wish_.from, "",
                    {"start from this run's weights and vocabulary (fine-tuning)",
                     "从另一个训练目录的权重和词表开始（微调）"});
        options.add("threads", threads_, "",
                    {"0: as many as there are processors; changes no bit of the result",
                     "线程数；0 表示全部处理器；结果逐位相同，与线程数无关"},
                    0, kMostThreads);
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

    int run(const std::vector<std::string>& words, const Options& options,
            Language language) override {
        if (words.empty() && wish_.config.text.data.empty())
            fail_usage({"train needs a CONFIG, a TEXT or a RUN: zhuyi train configs/stories.conf",
                        "train 需要一个配置、文本或训练目录：zhuyi train configs/stories.conf"});
        FaultInjection faults(inject_);
        set_thread_count(int(threads_));
        if (wish_.folder.empty()) wish_.folder = default_folder(wish_.config.text.data);
        if (!RunFolder{wish_.folder}.is_run()) {
            if (resume_) check_is_text(words);
            begin_training(wish_, options, faults, language);
        } else {
            if (!resume_)
                fail_usage(
                    {"%s holds a run already. Go on with it: zhuyi train --resume %s; or give "
                     "another folder: --out RUN.",
                     "%s 已是训练目录。接着训练：zhuyi train --resume %s；"
                     "或换一个目录：--out 目录。"},
                    printable(wish_.folder), shell_word(wish_.folder));
            resume_training(wish_, options, faults, language);
        }
        return 0;
    }

  private:
    // `train --resume TEXT` begins a new run. A NAME that is neither a run nor a text is an error.
    void check_is_text(const std::vector<std::string>& words) const {
        if (!wish_.suits_the_text || words[0] == "-" || fs::is_regular_file(words[0])) return;
        fail({"%s: no run folder (%s). `zhuyi train` without --resume makes one.",
              "%s：不是训练目录（%s）。不带 --resume 的 zhuyi train 会创建一个。"},
             printable(words[0]),
             fs::exists(words[0]) ? Words{"it has no run.conf", "没有 run.conf"}
                                  : Words{"there is nothing of that name", "没有这个名字"});
    }

    TrainWish wish_;
    std::string inject_;
    bool resume_ = false;
    Index threads_ = 0;
};

}  // namespace

std::unique_ptr<Command> train_command() { return std::make_unique<TrainCommand>(); }

}  // namespace zhuyi
