// What `zhuyi bench` found.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cost/bench_machine.h"
#include "cost/bench_training.h"
#include "formats/sheet.h"
#include "train/config.h"

namespace zhuyi {

struct BenchResult {
    BenchConfig config;
    Index weights, adamw_weights;  // all of them, and those that AdamW updates
    UpdateRule optimizer;
    std::vector<ProductSpeed> products;  // none: not measured
    TrainingSpeed training;
    std::optional<GenerationSpeed> generation;

    // Floating-point operations of a step. With M = L (4 C² + 2 C F) + V C weights that every row
    // is multiplied with: N (6 M + 6 L C (T + 1)); of attention only what lies under the causal
    // mask counts.
    double operations() const;
    double rate() const { return operations() / (1e-3 * training.step_ms); }
    double of_peak() const { return rate() / training.peak; }
    double tokens_a_second() const { return double(config.rows()) / (1e-3 * training.step_ms); }
};

// Everything that is measured, which takes some seconds. training, steps: as of training_speed.
// only_steps: no products, no generation.
BenchResult bench(const BenchConfig& config, const TrainConfig& training, Index steps,
                  bool only_steps);

// Each adds what is known so far, so that a person need not wait for the last configuration.
void add_machine(Sheet& sheet, const BenchMachine& machine);
void add_result(Sheet& sheet, const BenchResult& result, const BenchMachine& machine);
void add_formula(Sheet& sheet);

}  // namespace zhuyi
