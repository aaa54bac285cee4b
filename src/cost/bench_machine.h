// What this machine can do at this moment, and what our products make of it. Machines are noisy and
// laptops get hot, so a peak is measured beside everything that is compared with it.
#pragma once
#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "kernels/kernels.h"

namespace zhuyi {

struct GptConfig;

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

// Floating-point operations a second of fused multiply-adds on all threads, nothing read or
// written.
double fma_peak();

// Bytes a second of AdamW on arrays that no cache holds. It reads weights, gradients and two
// moments and writes all but the gradients: 28 bytes a weight.
double streaming_rate();
inline constexpr double kAdamWBytes = 7 * sizeof(Real);

// Bytes a second that one thread reads of so many, again and again: of a cache, if one holds them.
double reading_rate(Index bytes);

struct BenchMachine {
    std::string processor;  // as it calls itself
    int processors, threads;
    std::string kernels;
    Precision precision;
    double peak, streaming;  // fma_peak() and streaming_rate(); 0: not measured
};

// Measures the peak, and where wanted the memory.
BenchMachine bench_machine(Precision precision, bool streaming);

// Operations a second of one product's three appearances in training.
struct ProductSpeed {
    const char* name;
    Index rows, in, out;
    double forward, d_input, d_weight;  // Y = X·W, dX = dY·Wᵀ, dW = Xᵀ·dY
    double peak;                        // fma_peak() beside it
};
std::vector<ProductSpeed> product_speeds(const GptConfig& config, Index rows, Precision precision);

}  // namespace zhuyi
