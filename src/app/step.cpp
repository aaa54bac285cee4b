#include <algorithm>

#include "app/command.h"
#include "app/shared.h"
#include "base/check.h"
#include "base/parallel.h"
#include "explain/step.h"
#include "run/worked_sheets.h"
#include "text/tokenizer.h"
#include "train/config.h"

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

    std::string checkpoint_ = "last", text_, token_, data_, at_;
    Index threads_ = 0;
    TokenWish wish_;
    SheetOutput output_;
};

void StepCommand::declare(Options& options) {
    wish_.optimizer = UpdateRule::sgd;  // as on the page
    options.group({"one character", "看一个字"});
    options.add("token", token_, "",
                {"the character to follow: its embedding, a row of W_Q and W_K, where it looks, "
                 "what it expects",
                 "跟踪哪个字：它的词向量、W_Q 和 W_K 的一行、它看哪里、预测什么"});
    options.add("text", text_, "",
                {"the text in which it stands; without it the character alone",
                 "它所在的文字；不写则只有这个字"});
    options.add("times", wish_.times, "", {"how many steps to make", "训练几步"}, 1, 100);
    options.choice<bool>("on", wish_.on_text, {{"batches", false}, {"text", true}},
                         {"what the steps read: the run's own next batches, or --text alone",
                          "这几步读什么：训练接下来的批次，或者只读 --text"});
    options.choice<bool>("moments", wish_.anew, {{"run", false}, {"empty", true}},
                         {"the run's own optimizer goes on, or, as on the page, another one begins "
                          "that remembers nothing, without weight decay",
                          "接着用训练自己的优化器，还是像网页那样换一个什么也不记得的，"
                          "不用权重衰减"});
    options.choice<UpdateRule>(
        "optimizer", wish_.optimizer,
        {{"sgd", UpdateRule::sgd}, {"adamw", UpdateRule::adamw}, {"muon", UpdateRule::muon}},
        {"which one begins (--moments empty)", "换成哪一个（--moments empty）"});
    options.add("learning-rate", wish_.learning_rate, "", {"its learning rate", "它的学习率"}, 0,
                10);
    options.add("clip", wish_.clip, "",
                {"the longest gradient; 0 means no limit", "梯度范数上限；0 表示不限"}, 0, 1e6);
    options.add("at", at_, "",
                {"begin with the film's snapshot nearest to this step; none: with the checkpoint "
                 "(--moments empty)",
                 "从回放里离这一步最近的快照开始；不写则从检查点开始（--moments empty）"});
    options.add("layer", wish_.focus.block, "",
                {"which block, counted from 0", "第几层，从 0 数起"});
    options.add("head", wish_.focus.head, "",
                {"which head of it, counted from 0", "其中第几个头，从 0 数起"});
    options.group({"step", "一步"});
    options.add("data", data_, "",
                {"where the run's text is, if it has moved", "训练文本现在的位置（如果移动过）"});
    declare_checkpoint(options, checkpoint_);
    declare_threads(options, threads_);
    output_.declare(options);
}

void StepCommand::check(const Options& options) const {
    for (const char* name : {"optimizer", "learning-rate", "clip", "at"})
        if (options.was_set(name) && !wish_.anew)
            fail_usage({"--%s belongs to an optimizer that begins anew: --moments empty",
                        "--%s 要和换新的优化器一起用：--moments empty"},
                       name);
    if (about_a_token()) return;
    for (const char* name : {"times", "on", "moments", "layer", "head"})
        if (options.was_set(name))
            fail_usage({"--%s belongs to a character: step RUN --token 小 --text 小沈阳",
                        "--%s 要和一个字一起用：step 目录 --token 小 --text 小沈阳"},
                       name);
}

TokenWish StepCommand::wish(const LoadedRun& run) const {
    const Tokenizer& tokenizer = *run.tokenizer;
    const std::string& text = text_.empty() ? token_ : text_;
    TokenWish wish = wish_;
    tell_unseen(tokenizer, text_);
    wish.text = typed_text(tokenizer, text, run.config.model.context, "--text");
    if (!at_.empty()) wish.at = whole_number(at_, "at", say({"the number of a step", "第几步"}));
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
    const std::string& path = only_word(words, kOneRun, "zhuyi step runs/village");
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
