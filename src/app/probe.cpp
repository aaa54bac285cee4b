#include "app/command.h"
#include "app/shared.h"
#include "autograd/tape.h"
#include "base/check.h"
#include "base/parallel.h"
#include "cost/plan.h"
#include "model/gpt.h"
#include "probe/ask.h"
#include "probe/knowledge.h"
#include "run/loaded_run.h"
#include "system/input_file.h"
#include "system/printable.h"
#include "system/terminal.h"

namespace zhuyi {
namespace {

class ProbeCommand : public Command {
  public:
    ProbeCommand()
        : Command("probe", "RUN [--probes FILE] [--step all] [--ablate]",
                  {"test which rules of its text the model knows, and which head carries each",
                   "规则测验：模型懂得文本的哪些规则，靠哪个头"}) {}

    void declare(Options& options) override {
        options.group({"probes", "规则测验"});
        options.add("probes", probes_, "",
                    {"a file of probes: rule | seen or new | text | right | wrong[, wrong …] | "
                     "asker, a-b …; none: those of the training",
                     "测试句文件：规则 | seen 或 new | 文字 | 对的 | 错的[, 错的 …] | 提问处, 依据 "
                     "a-b …；不写则用训练时的"});
        options.add("step", step_, "",
                    {"all: what the model knew at each evaluation of its training",
                     "all：训练中每次评估时的成绩"});
        options.add("ablate", ablate_,
                    {"switch off one head or FFN after the other (its output becomes its mean over "
                     "the probes; csv and json: also 0), and show what each rule loses",
                     "逐个去掉头和 FFN（输出换成它在测试句上的平均值；csv 和 json 另有换成 "
                     "0 的），看每条规则差多少"});
        output_.declare_format(options);
        declare_checkpoint(options, checkpoint_);
        declare_silence(options, silence_);
        declare_threads(options, threads_);
    }

    int run(const std::vector<std::string>& words, const Options&) override {
        const std::string& path = only_word(words, kOneRun, "zhuyi probe runs/village");
        if (!step_.empty() && step_ != "all")
            fail_usage({"--step: expected all, found %s", "--step：应该是 all，却是 %s"},
                       in_quotes(step_));
        set_thread_count(int(threads_));
        const RunFolder folder{path};
        read_run_config(folder);  // Error if it is no run
        const ProbeFile file = read_probes(file_of(folder));
        const std::optional<ProbeHistory> history = history_of(folder, file);
        if (!step_.empty())
            show_history(file, history, folder);
        else
            show(open_run(path, checkpoint_, silence_), file, history);
        return 0;
    }

  private:
    std::string file_of(const RunFolder& folder) const {
        if (!probes_.empty()) return probes_;
        if (exists(folder.probes())) return folder.probes();
        fail({"%s: this run was trained without probes; name a file of them: --probes FILE",
              "%s：这次训练没有测试句；请给出测试句文件：--probes 文件"},
             printable(folder.path.string()));
    }

    std::optional<ProbeHistory> history_of(const RunFolder& folder, const ProbeFile& file) const {
        if (!probes_.empty() || !exists(folder.probe_log())) return {};
        std::vector<std::string> rules;
        for (const Text& rule : file.rules) rules.push_back(rule.chinese);
        const std::string path = folder.probe_log();
        return parse_probe_log(read_file(path), path, std::move(rules));
    }

    void show_history(const ProbeFile& file, const std::optional<ProbeHistory>& history,
                      const RunFolder& folder) const {
        if (!history)
            fail({"%s: no probes.csv, which a training with probes writes; --step all reads it",
                  "%s：没有 probes.csv（带测试句的训练才会写出）；--step all 要读它"},
                 printable(folder.path.string()));
        output_.write(history_sheet(file.rules, *history));
    }

    void show(const LoadedRun& run, const ProbeFile& file,
              const std::optional<ProbeHistory>& history) const {
        const Questions questions = questions_of(file, *run.tokenizer, run.config.model.context);
        const std::string left_out = too_long_text(questions, run.config.model.context);
        if (!left_out.empty()) tell("zhuyi: " + left_out + "\n");
        Tape tape(false);
        const std::vector<Knowledge> known =
            knowledge(questions, ask(*run.model, tape, questions), run.config.model);
        Sheet sheet{say({"%s, step %td, %zu probes", "%s，第 %td 步，%zu 个测试句"},
                        printable(run.checkpoint.file.string()), run.checkpoint.step,
                        questions.all.size())};
        add_rules(sheet, file.rules, known, history ? &*history : nullptr);
        if (ablate_) {
            std::optional<Ablation> by_zero;
            if (output_.for_program()) by_zero = ablate(*run.model, questions, false);
            add_ablation(sheet, file.rules, ablate(*run.model, questions, true),
                         by_zero ? &*by_zero : nullptr);
        }
        output_.write(sheet);
    }

    std::string probes_, step_, checkpoint_ = "best", silence_;
    bool ablate_ = false;
    Index threads_ = 0;
    SheetOutput output_;
};

}  // namespace

std::unique_ptr<Command> probe_command() { return std::make_unique<ProbeCommand>(); }

}  // namespace zhuyi
