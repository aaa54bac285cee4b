#include "explain/step.h"
#include "app/command.h"
#include "app/sheet_output.h"
#include "base/check.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "run/open_run.h"
#include "text/batches.h"
#include "train/checkpoint.h"

namespace zhuyi {
namespace {

class StepCommand : public Command {
  public:
    const char* name() const override { return "step"; }
    const char* usage() const override { return "RUN [--format html|markdown|json]"; }
    Words summary() const override {
        return {"make one training step on a copy and see what it changes",
                "在副本上训练一步，看它改了什么"};
    }
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
    if (words.size() != 1)
        fail_usage({"step takes one RUN: zhuyi step runs/stories",
                    "step 要一个训练目录 RUN：zhuyi step runs/stories"});
    set_thread_count(int(threads_));
    const LoadedRun run = open_run(words[0], checkpoint_, language);
    std::vector<Parameter> table = parameter_table(run.config.model);
    freeze(table, run.config.train.freeze);
    Parameters parameters(std::move(table), true);
    const Checkpoint checkpoint = read_checkpoint(run.checkpoint.file, parameters);
    const Corpus corpus = Corpus::read(run.config.text);
    if (corpus.hash() != checkpoint.text_hash)
        fail(
            {"the text is not the one this run was trained on (its hash is %s, the checkpoint says "
             "%s), so this would not be its next step",
             "训练文本不是这次训练用的那一份（它的哈希是 %s，检查点里是 "
             "%s），所以算不出它的下一步"},
            hash_text(corpus.hash()), hash_text(checkpoint.text_hash));
    const TokenizedText text = tokenize(corpus, *run.tokenizer);
    Gpt model(run.config.model, parameters);
    const WorkedStep step = worked_step(
        {{model, parameters, *run.tokenizer}, run.config.train, checkpoint.step}, text.train);
    output_.write(step_sheet(step), language);
    return 0;
}

}  // namespace

std::unique_ptr<Command> step_command() { return std::make_unique<StepCommand>(); }

}  // namespace zhuyi
