// How long a training takes on this machine, and how many of its steps fit into a given time.
#pragma once
#include "base/real.h"

namespace zhuyi {

struct RunConfig;
struct TokenizedText;
struct TrainConfig;

struct Pace {
    double step, evaluation;  // seconds of one
    double last_evaluation;   // of the whole validation part, and of its documents

    // Seconds that `steps` steps take, with their evaluations, samples, history and checkpoints.
    double seconds(Index steps, const TrainConfig& config) const;
    // The largest number of steps that fits into `seconds`, at least 1.
    Index steps_within(double seconds, const TrainConfig& config) const;
};

// Times three steps of this training (more if `patience` seconds have not passed) and an
// evaluation, on a model that is thrown away: nothing of it reaches the training but these
// times.
Pace pace_of(const RunConfig& config, const TokenizedText& text, double patience);

}  // namespace zhuyi
