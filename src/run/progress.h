// What a person sees while a model trains: one live line on a terminal, plain lines elsewhere, and
// the same plain lines in log.txt. There alone stands also how long the steps up to each checkpoint
// took, in either language the same: "--- steps 1 to 250: 12.345 s".
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/language.h"
#include "system/append_file.h"
#include "system/terminal.h"
#include "text/tokenized.h"
#include "train/update.h"

namespace zhuyi {

// The last thirty values as a curve of eighth blocks, ▁ the lowest and █ the highest; "" for fewer
// than two.
std::string small_curve(const std::vector<double>& values);

// log: what log.txt says. The seconds that a run took up to this step, all its pieces added up;
// nothing if some of its steps stand without a time there.
std::optional<double> trained_seconds(std::string_view log, Index step);

class ProgressLine : public Listener {
  public:
    ProgressLine(const std::string& log_path, Index steps, TokensPerCharacter per_character,
                 std::optional<double> floor);
    ~ProgressLine() override;

    Watcher* watch(Index step) override;  // none; the clock starts with the first step
    void step_done(const StepReport& report) override;
    void evaluated(const EvaluationReport& report) override;
    void planned(const TrainConfig& training) override;
    void saved(Index step) override;
    const char* name() const override { return "log"; }

    // A line of its own among the progress.
    void print(const std::string& line);

  private:
    using Clock = std::chrono::steady_clock;
    std::vector<std::string> fields(const StepReport& report, bool brief) const;
    std::string live_line(const StepReport& report, int width) const;
    double seconds_left(Index done) const;

    AppendFile log_;
    Index steps_;
    const TokensPerCharacter per_character_;
    const std::optional<double> floor_;  // of the text, nats per character
    const bool live_;
    Clock::time_point start_ = Clock::now(), shown_ = start_, saved_at_ = start_;
    Index first_step_ = -1, saved_ = -1, tokens_ = 0;
    std::vector<double> evaluations_;
    double smooth_loss_ = 0, validation_ = 0;  // nats per character; 0: none yet
};

}  // namespace zhuyi
