// How a model is trained.
#pragma once
#include <cstdint>
#include <string>

#include "base/real.h"

namespace zhuyi {

class Options;

struct TrainConfig {
    Index batch = 12;      // B: windows side by side in one pass
    Index accumulate = 1;  // passes whose gradients are averaged into one step
    Index steps = 2000;
    double learning_rate = 1e-3;    // at its peak
    double min_learning_rate = -1;  // at the end; below 0: a tenth of the peak
    Index warmup = 100;             // steps from 0 to the peak
    double beta1 = 0.9, beta2 = 0.99, epsilon = 1e-8;
    double weight_decay = 0.1;  // of matrices only
    double clip = 1;            // largest length of the whole gradient; 0: no limit
    Index eval_every = 250;     // steps
    Index save_every = 0;       // steps; 0: at each evaluation
    Index seed = 1337;
    Precision precision = Precision::fp32;
    std::string prompt;  // beginning of the samples written at each evaluation
    std::string freeze;  // parts of the parameter table that stay as they are

    double final_learning_rate() const {
        return min_learning_rate < 0 ? learning_rate / 10 : min_learning_rate;
    }
};

void declare(Options& options, TrainConfig& config);

}  // namespace zhuyi
