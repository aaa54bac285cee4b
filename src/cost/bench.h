// What `zhuyi bench` measures: what this machine can do at this moment, and what our products,
// training and writing make of it. Other programs and the heat of a laptop change the speed from
// one minute to the next, so a peak is measured beside everything that is compared with it.
#pragma once
#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "autograd/watching.h"
#include "kernels/kernels.h"
#include "model/config.h"
#include "train/config.h"

namespace zhuyi {

struct Sheet;

template <class Work>
double seconds_of(const Work& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

inline double median(std::vector<double> numbers) {  // at least one
    const auto middle = numbers.begin() + std::ssize(numbers) / 2;
    std::nth_element(numbers.begin(), middle, numbers.end());
    return *middle;
}

// ---- the machine

// Returns the floating-point operations per second of fused multiply-adds on all threads. They
// neither read nor write memory.
double fma_peak();

// Returns how many bytes per second one thread reads from a block of `bytes` bytes when it reads
// the block again and again. A block that fits into a cache is read from the cache.
double reading_rate(Index bytes);

// AdamW reads a weight, its gradient and two moments, and writes all but the gradient.
inline constexpr double kAdamWBytes = 7 * sizeof(Real);

// ---- a model

struct BenchConfig {
    const char* name;
    Words about;
    GptConfig model;
    Index batch;          // B
    bool hidden = false;  // for tests: stands in no list

    Index rows() const { return batch * model.context; }  // N
};

// Throws UsageError, with the list of names, if there is no such configuration.
const BenchConfig& bench_config(const std::string& name);

// Tokens per second when one thread writes the likeliest tokens, not beyond the context. Reading
// the weights limits them: each token needs all weights of the products once.
struct GenerationSpeed {
    double alone, four;  // one text; four texts that are written at once
    double bytes;        // of those weights
    double reading;      // reading_rate(bytes)
    double of_reading() const { return alone * bytes / reading; }
};

struct BenchResult {
    struct PartTime {
        Phase phase;
        std::string part;
        std::vector<double> seconds;  // one a step
        double ms() const { return 1e3 * median(seconds); }
    };
    BenchConfig config;
    Index weights, adamw_weights;  // all of them, and those that AdamW updates
    TrainConfig training;          // its precision and optimizer are those of the bench
    Index steps;                   // measured, after two that warm up
    double step_ms, least_ms;      // median and fastest
    std::vector<PartTime> parts;
    double peak;   // median of fma_peak() between the steps
    double bytes;  // in memory after the last step; nothing is given back between steps
    double first_loss, last_loss;
    std::uint64_t fingerprint;                  // of the weights afterwards
    std::optional<GenerationSpeed> generation;  // nothing if only steps are measured

    double ms(Phase phase, std::string_view part = "") const;  // "": all of its parts together
    // Floating-point operations of a step. With M = L (4 C² + 2 C F) + V C weights that every row
    // is multiplied with: N (6 M + 6 L C (T + 1)); of attention only what lies under the causal
    // mask counts.
    double operations() const;
    double rate() const { return operations() / (1e-3 * step_ms); }
    double of_peak() const { return rate() / peak; }
    double tokens_a_second() const { return double(config.rows()) / (1e-3 * step_ms); }
};

// Measures training and generation, which takes some seconds. The model trains on random tokens by
// the trainer's own update, with the precision and the optimizer of `training`. steps == 0: as many
// as fit into some seconds. only_steps: no generation.
BenchResult bench(const BenchConfig& config, const TrainConfig& training, Index steps,
                  bool only_steps);

// ---- as a sheet

// Each adds what is known so far, so that a person need not wait for the last configuration.

// Measures the machine. Returns the bytes per second of AdamW on arrays that fit into no cache, or
// 0 if `streaming` is false: then they are not measured.
double add_machine(Sheet& sheet, Precision precision, bool streaming);
// Measures the operations per second of the three products in which a matrix takes part in training
// (Y = X·W, dX = dY·Wᵀ, dW = Xᵀ·dY), unless only steps were measured.
void add_products(Sheet& sheet, const BenchResult& result);
// `streaming` as add_machine returns it.
void add_result(Sheet& sheet, const BenchResult& result, double streaming);
void add_formula(Sheet& sheet);

}  // namespace zhuyi
