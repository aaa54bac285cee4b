// What a new training and a resumed one have in common: the trainer, its listeners, and what is
// printed before the first step and after the last.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "cost/plan.h"
#include "cost/run_config.h"
#include "film/history_recorder.h"
#include "film/pushes.h"
#include "generate/sample_log.h"
#include "model/gpt.h"
#include "probe/probe_log.h"
#include "run/config_note.h"
#include "run/fault_injection.h"
#include "run/pace_keeper.h"
#include "run/progress.h"
#include "run/run_folder.h"
#include "text/levels.h"
#include "text/training_text.h"
#include "train/metrics.h"
#include "train/trainer.h"

namespace zhuyi {

// What the command line asks for. `config`: as its options leave it.
struct TrainWish {
    RunConfig config;
    std::string folder;           // of the run
    std::string from;             // run whose weights training starts from; "": none
    bool suits_the_text = false;  // only a text was named: the sizes suit its length
    double minutes = 0;           // of training, instead of steps; 0: the steps decide
    bool lock = true;             // the run folder, against another training
};

// The corpus of `config`. Throws UsageError where no text is named.
Corpus read_text(const RunConfig& config);
// The parameter table of the run's model, its frozen rows marked.
std::vector<Parameter> table_of(const RunConfig& config);
// Times a few steps, if the training is long enough for that to be worth it; else nothing.
std::optional<Pace> pace_where_worth_it(const RunConfig& config, const TokenizedText& text);

class Session {
  public:
    // Opens the logs of the run. All arguments must outlive the session.
    Session(const RunFolder& folder, const RunConfig& config, const TrainingText& text,
            Parameters& parameters, Optimizer& optimizer, FaultInjection& faults);

    Trainer& trainer() { return trainer_; }
    // For a training whose time decides: `config` (the session's own) gets the newest plan.
    void keep_pace(double seconds, PaceKeeper::Clock::time_point begun, RunConfig& config);
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
};

}  // namespace zhuyi
