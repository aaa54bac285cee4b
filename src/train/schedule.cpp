#include "train/schedule.h"

#include "base/math.h"

namespace zhuyi {

double learning_rate(Index step, const TrainConfig& c) {
    const double peak = c.learning_rate, end = c.final_learning_rate();
    // 1  climbing; not from 0, so that the first update already moves the weights
    if (step < c.warmup) return peak * double(step + 1) / double(c.warmup + 1);
    // 2  past the end
    if (step >= c.steps) return end;
    // 3  between them: the cosine goes through half a turn
    const double done = double(step - c.warmup) / double(c.steps - c.warmup);
    return end + (peak - end) * 0.5 * (1 + math::cos_turns(done / 2));
}

}  // namespace zhuyi
