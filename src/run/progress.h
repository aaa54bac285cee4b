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
#include "text/suggestion.h"
#include "text/tokenized.h"
#include "train/update.h"

namespace zhuyi {

class Tokenizer;
struct PostMortem;
struct TrainConfig;

// The last thirty values as a curve of eighth blocks, ▁ the lowest and █ the highest; "" for fewer
// than two.
std::string small_curve(const std::vector<double>& values);

// Returns the seconds that a run took up to this step, all its pieces added up; or nothing if the
// text of log.txt has no time for some of these steps.
std::optional<double> trained_seconds(std::string_view log, Index step);

class ProgressLine : public Listener {
  public:
    ProgressLine(const std::string& log_path, Index steps, TokensPerCharacter per_character,
                 std::optional<double> floor);
    ~ProgressLine() override;

    Watcher* watch(Index step) override;  // The clock starts with the first step.
    void step_done(const StepReport& report) override;
    void evaluated(const EvaluationReport& report) override;
    void planned(const TrainConfig& training) override;
    void saved(Index step) override;
    const char* name() const override { return "log"; }

    // Every line says from now on what the end is expected to be, the last one how well that went.
    void expect(const Forecast& end) { expected_ = end; }
    // A line of its own among the progress.
    void print(const std::string& line);

  private:
    using Clock = std::chrono::steady_clock;
    std::vector<std::string> fields(const StepReport& report, bool brief) const;
    std::string live_line(const StepReport& report, int width) const;

    AppendFile log_;
    Index steps_;
    const TokensPerCharacter per_character_;
    const std::optional<double> floor_;  // of the text, nats per character
    const bool live_;
    std::optional<Forecast> expected_;
    Clock::time_point start_ = Clock::now(), shown_ = start_, saved_at_ = start_;
    Index first_step_ = -1, saved_ = -1, tokens_ = 0;
    std::vector<double> evaluations_;
    double smooth_loss_ = 0, validation_ = 0;  // nats per character; 0 before the first
};

// A post-mortem (train/post_mortem.h) for a person: what went wrong and where, what to try, and
// which checkpoint is still good. Some lines, without a newline at the end. `run`: the run folder.
std::string post_mortem_text(const PostMortem& found, const TrainConfig& config,
                             const Tokenizer& tokenizer, const std::string& run);

}  // namespace zhuyi
