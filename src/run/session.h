// A training, begun or resumed: what both have in common, the trainer and its listeners, and what
// is printed before the first step and after the last.
#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "autograd/watching.h"
#include "base/language.h"
#include "cost/plan.h"
#include "film/history_recorder.h"
#include "film/pushes.h"
#include "generate/novelty.h"
#include "model/gpt.h"
#include "probe/probe_log.h"
#include "run/expectation.h"
#include "run/progress.h"
#include "run/run_folder.h"
#include "text/ngram.h"
#include "text/tokenized.h"
#include "train/evaluate.h"
#include "train/trainer.h"
#include "train/update.h"

namespace zhuyi {

class Options;

// What the command line asks for. `config`: as its options leave it.
struct TrainWish {
    RunConfig config;
    std::string folder;           // of the run
    std::string from;             // run whose weights training starts from; or ""
    bool suits_the_text = false;  // only a text was named: the sizes suit its length
    std::shared_ptr<const Corpus::Files> text{};  // where it was read before
    std::string elsewhere{};  // said once nothing is refused: the folder is not the usual one
    double minutes = 0;       // of training, instead of steps; if it is 0, the steps decide
    bool lock = true;         // the run folder, against another training
};

// ---- small listeners

// `train --inject WHAT@NUMBER[:NAME]`: faults made on purpose, so that tests can prove what becomes
// of a training that meets them. A hidden option; several faults are joined by commas.
//
//     kill@57 short@57 enospc@57 eio@57   from the 57th call that changes a file (system/disk.h)
//     unreadable@57                       or from the 57th that reads or changes one
//     inf@7:NAME                          in step 7 the first number of that activation is infinite
//     inf-gradient@7:NAME                 or the first of its gradient
class FaultInjection : public Listener, private Watcher {
  public:
    // Arranges the faults of the disk at once; those of numbers happen in the training that this
    // listens to. Throws UsageError for anything else.
    explicit FaultInjection(const std::string& wish);

    const char* name() const override { return "injection"; }
    Watcher* watch(Index step) override;

  private:
    struct Poison {
        bool gradient;
        Index step;
        std::string tensor;
    };
    void arrange(const std::string& wish);
    bool hits(const Poison& poison, bool gradient, std::string_view name) const;
    bool wants(std::string_view name) const override;
    void replace(std::string_view name, const Tensor& tensor) override;
    void replace_gradient(std::string_view name, Out gradient) override;

    std::vector<Poison> poisons_;
    Index step_ = 0;
};

// Keeps a training within its time (--minutes). How many steps fit is guessed before the first one;
// at 1/16, 1/8, 1/4, 1/2 and 3/4 of the time it is planned anew from the pace since the plan
// before, and every plan is written to run.conf, so that the same steps can be made again anywhere.
class PaceKeeper : public Listener {
  public:
    using Clock = std::chrono::steady_clock;
    // seconds: of the whole command, which began at `begun`. config: gets the new plans. All
    // arguments must outlive it.
    PaceKeeper(double seconds, Clock::time_point begun, Trainer& trainer, RunConfig& config,
               const RunFolder& folder);

    Watcher* watch(Index step) override;  // The clock of the first plan starts here.
    void step_done(const StepReport& report) override;
    void evaluated(const EvaluationReport& report) override;
    void planned(const TrainConfig& training) override;
    const char* name() const override { return "pace"; }

  private:
    double elapsed() const;

    const double seconds_;
    const Clock::time_point begun_;
    Trainer& trainer_;
    RunConfig& config_;
    const RunFolder folder_;
    std::size_t next_ = 0;         // share of the time at which it plans anew
    Index step_ = -1;              // of the plan before; -1 before the first step
    double then_;                  // seconds, when the first step began
    double since_ = 0, done_ = 0;  // when the newest step began, when it was done
    double steps_ = 0;             // that the steps since the plan took, without evaluations
    double pause_ = 0;             // that an evaluation, its sample and its checkpoint took
    bool evaluated_ = false;       // after the newest step
    double end_ = 0;  // seconds that the last evaluation and the last checkpoint will take
};

// A checkpoint keeps the options that its training was made with, so that a run.conf which somebody
// has edited since is noticed. Where the text lies, how many steps are made, and when it saves and
// stops early are not among them.
class ConfigNote : public Listener {
  public:
    explicit ConfigNote(const RunFolder& folder);
    const char* name() const override { return "config"; }
    // Until a step is made with the options of today, the note of the checkpoint stands.
    std::string state() override { return kept_.empty() ? note_ : kept_; }
    void resume(const std::string& state) override { kept_ = state; }
    void step_done(const StepReport&) override { kept_.clear(); }
    // What the command line has changed is no edit.
    void adopt(const std::vector<ConfigDifference>& changes);

  private:
    std::string note_, kept_;
};

// ---- the two ways to train

// The run folder where none is named: runs/poems for poems.txt, ../poems/ and runs/poems.conf.
std::string default_folder(const std::string& path);
// `folder`, or where that holds a run the first of "folder-2", "folder-3" … that holds none.
std::string free_folder(const std::string& folder);

// Makes the run folder and trains. What could not work is refused before anything is written.
// `options` says which fields of `wish` the user has set. Returns the exit code, as Session::run
// does. Throws UsageError and Error.
int begin_training(const TrainWish& wish, const Options& options, FaultInjection& faults);

// Goes on from the last checkpoint, with the options in run.conf. The command line may name the
// text anew. It may change how many steps are made, how often the training evaluates and saves, and
// when it stops early, and it may switch the history off. Any other option that differs would make
// another training: UsageError. Throws Error if the text is missing or has changed. A run that was
// killed before its first weights were written begins again. Returns the exit code, as Session::run
// does.
int resume_training(const TrainWish& wish, const Options& options, FaultInjection& faults);

// ---- what both ways share

// The corpus of `config`; `read`: its files, where they were read before. Throws UsageError where
// no text is named.
Corpus read_text(const RunConfig& config, const Corpus::Files* read);
// The parameter table of the run's model, its frozen rows marked.
std::vector<Parameter> table_of(const RunConfig& config);
// Times a few steps, and returns nothing where the training is too short for that to be worth it.
std::optional<Pace> pace_where_worth_it(const RunConfig& config, const TokenizedText& text);

class Session {
  public:
    // Opens the logs of the run. All arguments must outlive the session.
    Session(const RunFolder& folder, const RunConfig& config, const TrainingText& text,
            Parameters& parameters, Optimizer& optimizer, FaultInjection& faults);

    Trainer& trainer() { return trainer_; }
    const Levels& levels() const { return levels_; }
    // For a training whose time decides: `config` (the session's own) gets the newest plan.
    void keep_pace(double seconds, PaceKeeper::Clock::time_point begun, RunConfig& config);
    // After the trainer's resume(): what the command line changed holds from this step on, and both
    // checkpoints know it.
    void adopt(const std::vector<ConfigDifference>& changes);
    // What will be printed with the plan, and beside what comes out.
    void expect(Expectation expectation);
    // Prints `warning` and the plan, makes the steps that are left, and prints how it ended: done
    // or stopped. If numbers stop being finite: prints the post-mortem and throws NotFinite.
    // The exit code: 0, or 128 + the signal that stopped it before its end, as shells expect.
    int run(const Room& room, const std::optional<Pace>& pace, const std::string& warning = {});

  private:
    void record_history(Optimizer& optimizer);
    void say_end(Index begun);
    void say_rules();
    void say_novelty();

    const RunFolder folder_;
    const RunConfig& config_;
    const TrainingText& text_;
    Parameters& parameters_;
    const Levels levels_;
    Gpt model_;
    Trainer trainer_;
    ConfigNote note_;
    MetricsLog metrics_;
    ProgressLine progress_;
    SampleLog samples_;
    std::optional<ProbeLog> probes_;
    std::optional<Pushes> pushes_;  // before the recorder, which asks it
    std::optional<HistoryRecorder> recorder_;
    std::optional<PaceKeeper> pace_;
    std::optional<Expectation> expectation_;
};

}  // namespace zhuyi
