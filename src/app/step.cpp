#include <algorithm>

#include "app/command.h"
#include "app/shared.h"
#include "base/check.h"
#include "base/parallel.h"
#include "explain/step.h"
#include "run/worked_sheets.h"
#include "text/tokenizer.h"

namespace zhuyi {
namespace {

class StepCommand : public Command {
  public:
    StepCommand()
        : Command("step", "RUN [--token 小 --text 小沈阳 --times 3 [--on text]]",
                  {"make training steps on a copy and see what they change",
                   "在副本上训练一步或几步，看改了什么"}) {}

    void declare(Options& options) override;
    int run(const std::vector<std::string>& words, const Options& options) override;

  private:
    bool about_a_token() const { return !text_.empty() || !token_.empty(); }
    void check(const Options& options) const;
    TokenWish wish(const LoadedRun& run) const;

    std::string checkpoint_ = "last", text_, token_, data_;
    Index threads_ = 0, times_ = 1;
    Focus focus_;
    bool on_text_ = false;  // the steps read --text alone
    SheetOutput output_;
};

void StepCommand::declare(Options& options) {
    options.group({"one character", "看一个字"});
    options.add("token", token_, "",
                {"the character to follow: its embedding, a row of W_Q and W_K, where it looks, "
                 "what it expects",
                 "跟踪哪个字：它的词向量、W_Q 和 W_K 的一行、它看哪里、预测什么"});
    options.add(
        "text", text_, "",
        {"the text it stands in; none: the character alone", "它所在的文字；不写则只有这个字"});
    options.add("times", times_, "", {"how many steps to make", "训练几步"}, 1, 100);
    options.choice<bool>("on", on_text_, {{"batches", false}, {"text", true}},
                         {"what the steps read: the run's own next batches, or --text alone",
                          "这几步读什么：训练接下来的批次，或者只读 --text"});
    options.add("layer", focus_.block, "", {"block, from 0", "第几层，从 0 数起"});
    options.add("head", focus_.head, "", {"head of it, from 0", "其中第几个头，从 0 数起"});
    options.group({"step", "一步"});
    options.add("data", data_, "",
                {"where the run's text is, if it has moved", "训练文本现在的位置（如果移动过）"});
    declare_checkpoint(options, checkpoint_);
    declare_threads(options, threads_);
    output_.declare(options);
}

void StepCommand::check(const Options& options) const {
    if (about_a_token()) return;
    for (const char* name : {"times", "on", "layer", "head"})
        if (options.was_set(name))
            fail_usage({"--%s belongs to a character: step RUN --token 小 --text 小沈阳",
                        "--%s 要和一个字一起用：step 目录 --token 小 --text 小沈阳"},
                       name);
}

TokenWish StepCommand::wish(const LoadedRun& run) const {
    const Tokenizer& tokenizer = *run.tokenizer;
    const std::string& text = text_.empty() ? token_ : text_;
    TokenWish wish{typed_text(tokenizer, text, run.config.model.context, "--text"), focus_, times_,
                   on_text_};
    if (token_.empty()) return wish;
    const auto found = std::ranges::find(wish.text, single_token(tokenizer, token_));
    if (found == wish.text.end())
        fail_usage({"--text %s does not hold the character of --token, %s",
                    "--text %s 里没有 --token 的字“%s”"},
                   text_, token_);
    wish.focus.query = found - wish.text.begin();
    return wish;
}

int StepCommand::run(const std::vector<std::string>& words, const Options& options) {
    const std::string& path = only_word(words, kOneRun, "zhuyi step runs/stories");
    check(options);
    set_thread_count(int(threads_));
    LoadedRun run = open_run(path, checkpoint_);
    if (!data_.empty()) run.config.text.data = data_;
    output_.write(about_a_token() ? next_steps_of_token(run, wish(run)) : next_step_sheet(run));
    return 0;
}

}  // namespace

std::unique_ptr<Command> step_command() { return std::make_unique<StepCommand>(); }

}  // namespace zhuyi
