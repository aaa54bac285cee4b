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

#include <filesystem>

namespace zhuyi {
namespace {

class ProbeCommand : public Command {
  public:
    ProbeCommand()
        : Command("probe", "RUN [--probes FILE] [--step all] [--ablate]",
                  {"test which rules of its text the model knows, which head looks at what decides "
                   "each (looks), and which part it cannot do without (carries)",
                   "规则测验：模型懂得文本的哪些规则；每条规则哪个头看着依据（关注），缺了哪个部件"
                   "就答不对（起作用）"}) {}

    void declare(Options& options) override {
        options.group({"probes", "规则测验"});
        options.add(
            "probes", probes_, "",
            {"a file of probes: rule | seen, new or form | text | right | wrong[, wrong …] | "
             "asker, a-b …; none: those of the training",
             "测试句文件：规则 | seen、new 或 form | 文字 | 对的 | 错的[, 错的 …] | 提问处, 依据 "
             "a-b …；不写则用训练时的"});
        options.add("step", step_, "",
                    {"all: what the model knew at each evaluation of its training",
                     "all：训练中每次评估时的成绩"});
        options.add("ablate", ablate_,
                    {"ablation: replace the output of one head or FFN after the other by its mean "
                     "over the probes, ask all of them, and show what each rule loses (csv and "
                     "json: also by 0)",
                     "消融：逐个把头和 FFN 的输出换成它在测试句上的平均值（均值替换），问全部测试句"
                     "，看每条规则差多少（csv 和 json 另有置零的）"});
        options.add("zero", zero_,
                    {"replace by 0 instead of the mean", "不用均值替换，用置零（输出设为 0）"});
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
        if (std::filesystem::exists(folder.probes())) return folder.probes();
        fail({"%s: this run was trained without probes; name a file of them: --probes FILE",
              "%s：这次训练没有测试句；请给出测试句文件：--probes 文件"},
             printable(folder.path));
    }

    std::optional<ProbeHistory> history_of(const RunFolder& folder, const ProbeFile& file) const {
        if (!probes_.empty() || !std::filesystem::exists(folder.probe_log())) return {};
        const std::string path = folder.probe_log();
        return parse_probe_log(read_file(path), path, file.rules);
    }

    void show_history(const ProbeFile& file, const std::optional<ProbeHistory>& history,
                      const RunFolder& folder) const {
        if (!history)
            fail({"%s: no probes.csv, which a training with probes writes; --step all reads it",
                  "%s：没有 probes.csv（带测试句的训练才会写出）；--step all 要读它"},
                 printable(folder.path));
        output_.write(history_sheet(file.rules, *history));
    }

    void show(const LoadedRun& run, const ProbeFile& file,
              const std::optional<ProbeHistory>& history) const {
        const Questions questions = questions_of(file, *run.tokenizer, run.config.model.context);
        const std::string left_out = too_long_text(questions, run.config.model.context);
        if (!left_out.empty()) tell("zhuyi: " + left_out + "\n");
        Tape tape(false);
        std::vector<Knowledge> known =
            knowledge(questions, heard(run, ask(*run.model, tape, questions)), run.config.model);
        const Questions part = ablate_ ? questions : part_of(questions, kCarriersAsked);
        const Ablation ablation = ablate(*run.model, tape, part, !zero_);
        add_carriers(known, ablation);
        Sheet sheet{say({"%s, step %td, %zu probes", "%s，第 %td 步，%zu 个测试句"},
                        printable(run.checkpoint.file), run.checkpoint.step, questions.all.size())};
        add_rules(sheet, file.rules, known, history ? &*history : nullptr);
        if (ablate_) {
            add_ablation(sheet, file.rules, ablation, !zero_);
            if (output_.for_program() && !zero_)
                add_ablation(sheet, file.rules, ablate(*run.model, tape, part, false), false);
        }
        output_.write(sheet);
    }

    // A head that is switched off still attends, but nothing of it arrives: it does not look.
    Answers heard(const LoadedRun& run, Answers answers) const {
        const Index heads = run.config.model.heads, all = run.config.model.layers * heads;
        for (const ModelPart& part : parse_parts(silence_, run.config.model, "silence"))
            for (Index at = part.block * heads + part.head.value_or(0);
                 part.head && at < answers.weights.count(); at += all)
                answers.weights[at] = 0;
        return answers;
    }

    std::string probes_, step_, checkpoint_ = "best", silence_;
    bool ablate_ = false, zero_ = false;
    Index threads_ = 0;
    SheetOutput output_;
};

}  // namespace

std::unique_ptr<Command> probe_command() { return std::make_unique<ProbeCommand>(); }

}  // namespace zhuyi
