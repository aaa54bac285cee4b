// How fast a model of a known size trains and generates, by the trainer's own update.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "autograd/watching.h"
#include "base/language.h"
#include "model/gpt.h"
#include "model/parameters.h"

namespace zhuyi {

struct TrainConfig;

struct BenchConfig {
    const char* name;
    Words about;
    GptConfig model;
    Index batch;  // B
    bool hidden;  // for tests: in no list

    Index rows() const { return batch * model.context; }  // N
};

std::span<const BenchConfig> bench_configs();
// Throws UsageError for an unknown name, with the list.
const BenchConfig& bench_config(const std::string& name);

struct BenchModel {
    BenchConfig config;
    Parameters parameters;
    Gpt gpt;

    explicit BenchModel(const BenchConfig& c);
};

struct PartTime {
    Phase phase;
    std::string part;
    double ms;  // of a step, median
};

struct TrainingSpeed {
    Index steps;               // measured, after two that warm up
    double step_ms, least_ms;  // median and fastest
    std::vector<PartTime> parts;
    double peak;   // median of fma_peak() between the steps
    double bytes;  // in memory after the last step; nothing is given back between steps
    double first_loss, last_loss;
    std::uint64_t fingerprint;  // of the weights afterwards

    double ms(Phase phase, std::string_view part = "") const;  // "": all of its parts together
};

// The trainer's own update on random tokens, with the precision and the optimizer of `training`.
// steps == 0: as many as fit into some seconds.
TrainingSpeed training_speed(BenchModel& model, TrainConfig training, Index steps);

// Tokens a second: greedy, one thread, not beyond the context; of one text, and of four that are
// written at once. Beside it, what bounds it: each token needs all weights of products once.
struct GenerationSpeed {
    double alone, four;
    double bytes, reading;  // of those weights, and how many a second are read of so many, alone
    double of_reading() const { return alone * bytes / reading; }
};
// Lays out the weights for it, so after this they no longer change.
GenerationSpeed generation_speed(BenchModel& model, Precision precision);

}  // namespace zhuyi
