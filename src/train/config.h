// How a model is trained.
#pragma once
#include <map>
#include <string>

#include "text/batches.h"

namespace zhuyi {

class Options;

// muon: for the matrices inside blocks; AdamW for the rest. sgd is for single steps (zhuyi step).
enum class UpdateRule { adamw, muon, sgd };
enum class Schedule { cosine, linear, wsd };
const char* name_of(UpdateRule rule);  // "muon", as options write it
const char* name_of(Schedule schedule);
const char* name_of(Precision precision);  // "fp32" or "bf16"

struct TrainConfig : BatchConfig {
    Index steps = 2000;
    std::string plan;  // how --minutes planned `steps` (plans_of), or ""
    // Evaluations without a new best after which it ends; 0 means never.
    Index stop_after = 0;
    double learning_rate = 1e-3;    // at its peak
    double min_learning_rate = -1;  // at the end; if below 0, see final_learning_rate()
    Index warmup = 100;             // steps from 0 to the peak
    Schedule schedule = Schedule::cosine;
    UpdateRule optimizer = UpdateRule::adamw;
    double momentum = 0.95;  // of Muon
    double beta1 = 0.9, beta2 = 0.99, epsilon = 1e-8;
    double weight_decay = 0.1;  // of matrices only
    double clip = 1;            // largest length of the whole gradient; 0 means no limit
    Index eval_every = 250;     // steps; more often at first (evaluation_due)
    Index eval_tokens = 0;      // of the validation part, until the last evaluation; 0 means all
    Index save_every = 0;       // steps; 0 means every eval_every steps
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

// ---- what follows from it, step by step

// Where the time decides (--minutes) the number of steps is planned anew, from the measured pace,
// while the model trains; the rate follows the newest plan. Written down in the configuration the
// same plans give the same training again. plans[s] is the number of steps, counted from step 0,
// that is planned from update number s + 1 on.
using Plans = std::map<Index, Index>;
// Reads config.plan ("0:170, 45:820"). The last plan has config.steps; where nothing is written it
// is the only one. Throws UsageError for a plan that cannot be read.
Plans plans_of(const TrainConfig& config);
bool planned_by_time(const TrainConfig& config);  // did --minutes write config.plan?
std::string text_of(const Plans& plans);
// The steps that are planned when update number step + 1 is made.
Index planned_steps(Index step, const Plans& plans);

// Whether the validation loss is measured after `step` updates: every config.eval_every steps, at
// the end, and, since it falls fastest at first, after those of 1, 3, 10, 30, 100 … steps that come
// before.
bool evaluation_due(Index step, const TrainConfig& config);
Index early_evaluations(const TrainConfig& config);  // how many come before eval_every

// Learning rate of update number step + 1: a linear warm-up, then by config.schedule down to the
// final rate: half a cosine (Loshchilov and Hutter, arXiv 1608.03983, without restarts), a line
// from the end of the warm-up to the last step, or wsd (warm-up, stable, decay: Hu et al., arXiv
// 2404.06395): the peak, and a line over the last quarter of the steps.
double learning_rate(Index step, const TrainConfig& config);

}  // namespace zhuyi
