// How long a training takes on this machine, and how many of its steps fit into so many minutes.
#pragma once
#include "cost/run_config.h"

namespace zhuyi {

struct TokenizedText;

struct Pace {
    double step, evaluation;  // seconds of one

    // Of so many steps with their evaluations, samples, film and checkpoints.
    double seconds(Index steps, const TrainConfig& config) const;
    // As many as take so long, at least 1.
    Index steps_within(double seconds, const TrainConfig& config) const;
};

// Makes three steps of this training (more while `patience` lasts, in seconds) and an evaluation,
// on a model that is thrown away: the training itself does not depend on it, except on the numbers
// that it gives.
Pace pace_of(const RunConfig& config, const TokenizedText& text, double patience);

}  // namespace zhuyi
