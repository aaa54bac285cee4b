#include "train/schedule.h"

#include <algorithm>

#include "base/math.h"
#include "train/config.h"

namespace zhuyi {
namespace {

// How much of the way from the peak to the end is left before update number step + 1, from 1 to 0.
double left(Index step, const TrainConfig& c) {
    const double done = double(step - c.warmup) / double(c.steps - c.warmup);
    constexpr double kDecay = 0.25;  // of the steps
    switch (c.schedule) {
        case Schedule::cosine:
            return 0.5 * (1 + math::cos_turns(done / 2));
        case Schedule::linear:
            return 1 - done;
        case Schedule::wsd:
            return std::min(1.0, double(c.steps - step) / (kDecay * double(c.steps)));
    }
    return 0;
}

}  // namespace

double learning_rate(Index step, const TrainConfig& c) {
    const double peak = c.learning_rate, end = c.final_learning_rate();
    // 1  climbing; not from 0, so that the first update already moves the weights
    if (step < c.warmup) return peak * double(step + 1) / double(c.warmup + 1);
    // 2  past the end
    if (step >= c.steps) return end;
    // 3  between them
    return end + (peak - end) * left(step, c);
}

}  // namespace zhuyi
