#include "app/command.h"
#include "app/shared.h"
#include "base/check.h"
#include "base/parallel.h"
#include "system/terminal.h"

namespace zhuyi {
namespace {

class EvalCommand : public Command {
  public:
    EvalCommand()
        : Command("eval", "RUN [--data FILE|FOLDER] [--by document] [--checkpoint best]",
                  {"measure how well a model predicts a text", "衡量模型预测一份文本的好坏"}) {}

    void declare(Options& options) override {
        options.group({"evaluation", "评估"});
        options.add("data", data_, "",
                    {"a file or folder whose whole text is predicted; without it the validation "
                     "part of the run's own text",
                     "要预测的文件或目录（全部）；不写则用训练文本的验证集"});
        options.never_empty();
        options.choice<bool>(
            "by", documents_, {{"window", false}, {"document", true}},
            {"window: the text cut evenly, as in training; document: each document read from its "
             "beginning",
             "window：像训练时那样把全文切成等长的段；document：每篇都从头读起"});
        declare_checkpoint(options, checkpoint_);
        declare_silence(options, silence_);
        output_.declare_format(options);
        declare_threads(options, threads_);
    }

    int run(const std::vector<std::string>& words, const Options&) override {
        const std::string& run = only_word(words, kOneRun, "zhuyi eval runs/village");
        set_thread_count(int(threads_));
        const LoadedRun loaded = open_run(run, checkpoint_, silence_);
        const Score found = score(loaded, data_, documents_);
        if (!found.unseen.empty()) tell(say({"zhuyi: %s\n", "zhuyi：%s\n"}, found.unseen));
        output_.write(score_sheet(found));
        return 0;
    }

  private:
    std::string data_, checkpoint_ = "best", silence_;
    bool documents_ = false;  // each is read from its beginning
    Index threads_ = 0;
    SheetOutput output_;
};

}  // namespace

std::unique_ptr<Command> eval_command() { return std::make_unique<EvalCommand>(); }

}  // namespace zhuyi
