// How a model is trained.
#pragma once
#include <cstdint>
#include <string>

#include "base/real.h"

namespace zhuyi {

class Options;

enum class UpdateRule { adamw, muon };  // muon: for the matrices inside blocks; AdamW for the rest
enum class Schedule { cosine, linear, wsd };
const char* name_of(UpdateRule rule);  // "muon", as options write it
const char* name_of(Schedule schedule);

struct TrainConfig {
    Index batch = 12;      // B: windows side by side in one pass
    Index accumulate = 1;  // passes whose gradients are averaged into one step
    Index steps = 2000;
    std::string plan;               // how --minutes planned `steps` (train/schedule.h), or ""
    Index stop_after = 0;           // ends after so many evaluations without a new best; 0: never
    double learning_rate = 1e-3;    // at its peak
    double min_learning_rate = -1;  // at the end; below 0: see final_learning_rate()
    Index warmup = 100;             // steps from 0 to the peak
    Schedule schedule = Schedule::cosine;
    UpdateRule optimizer = UpdateRule::adamw;
    double momentum = 0.95;  // of Muon
    double beta1 = 0.9, beta2 = 0.99, epsilon = 1e-8;
    double weight_decay = 0.1;  // of matrices only
    double clip = 1;            // largest length of the whole gradient; 0: no limit
    Index eval_every = 250;     // steps; more often at first (train/schedule.h)
    Index eval_tokens = 0;      // of the validation part, until the last evaluation; 0: all
    Index save_every = 0;       // steps; 0: every eval_every steps
    Index seed = 1337;
    Precision precision = Precision::fp32;
    std::string prompt;  // beginning of the samples written at each evaluation
    std::string freeze;  // parts of the parameter table that stay as they are

    // min_learning_rate, or if it is below 0: a tenth of the peak with the cosine, else 0.
    double final_learning_rate() const {
        if (min_learning_rate >= 0) return min_learning_rate;
        return schedule == Schedule::cosine ? learning_rate / 10 : 0;
    }
};

void declare(Options& options, TrainConfig& config);
// Two of them, for `bench` too.
void declare_optimizer(Options& options, UpdateRule& optimizer);
void declare_precision(Options& options, Precision& precision);

}  // namespace zhuyi
