#include "cost/pace.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "autograd/tape.h"
#include "cost/bench_machine.h"
#include "cost/run_config.h"
#include "model/gpt.h"
#include "model/parameters.h"
#include "text/tokenized.h"
#include "train/config.h"
#include "train/evaluate.h"
#include "train/optimizer.h"
#include "train/update.h"

namespace zhuyi {
namespace {

// For what is not timed here: samples, the history, checkpoints, a laptop that gets warm.
constexpr double kRest = 0.1;

// Seconds of a step: the median of some after a first one, which asks for the memory. Numbers that
// are not finite are left to the training to report.
double seconds_of_a_step(Gpt& model, Parameters& parameters, const TrainConfig& config,
                         const TokenizedText& text, double patience) {
    constexpr std::size_t kLeast = 3, kMost = 50;
    const auto optimizer = make_optimizer(parameters.table(), config);
    Batches batches(text.train, config, model.config().context);
    Tape tape(true, config.precision);
    std::vector<double> seconds;
    double all = 0;
    for (Index step = 0; seconds.size() < kLeast || (all < patience && seconds.size() < kMost);
         ++step) {
        seconds.push_back(seconds_of([&] {
            const StepReport report =
                compute_gradients(model, parameters, tape, config, step, batches.of_step(step));
            apply_gradients(parameters, *optimizer, tape, config, report);
        }));
        all += seconds.back();
    }
    seconds.erase(seconds.begin());
    return median(seconds);
}

// To evaluate a token, from a part of the text.
double seconds_to_evaluate(Gpt& model, const TrainConfig& config, const TokenizedText& text) {
    const std::span<const Token> whole = text.validation;
    const std::size_t some =
        std::min(whole.size(), std::size_t(config.batch * model.config().context + 1));
    Tape tape(false, config.precision);
    evaluate(model, tape, whole.first(some), config.batch);  // asks for the memory
    const double seconds =
        seconds_of([&] { evaluate(model, tape, whole.first(some), config.batch); });
    return seconds / double(some);
}

}  // namespace

double Pace::seconds(Index steps, const TrainConfig& config) const {
    const double evaluations =
        double(early_evaluations(config)) + double(steps) / double(config.eval_every);
    return (double(steps) * step + evaluations * evaluation + last_evaluation) / (1 - kRest);
}

Index Pace::steps_within(double seconds, const TrainConfig& config) const {
    const double one = step + evaluation / double(config.eval_every);
    const double first = double(early_evaluations(config)) * evaluation;
    const double steps = (seconds * (1 - kRest) - first - last_evaluation) / one;
    const double round = steps < 100 ? 1 : 10;
    return Index(std::clamp(std::floor(steps / round) * round, 1.0, 1e9));
}

Pace pace_of(const RunConfig& config, const TokenizedText& text, double patience) {
    std::vector<Parameter> table = parameter_table(config.model);
    freeze(table, config.train.freeze);
    Parameters parameters(std::move(table), true);
    parameters.initialise(std::uint64_t(config.train.seed));
    Gpt model(config.model, parameters);
    const double step = seconds_of_a_step(model, parameters, config.train, text, patience);
    const double token = seconds_to_evaluate(model, config.train, text);
    const double all = double(text.validation.size());
    const double part =
        config.train.eval_tokens ? std::min(double(config.train.eval_tokens), all) : all;
    return {step, token * part, 2 * token * all};
}

}  // namespace zhuyi
