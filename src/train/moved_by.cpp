#include "train/moved_by.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"

namespace zhuyi {

MovedBy::MovedBy(Index causes, Index length)
    : causes_(std::size_t(causes)),
      all_(std::size_t(length)),
      decay_(std::size_t(length)),
      factor_(std::size_t(length)) {
    for (Cause& cause : causes_) cause.gradient = cause.m = cause.moved = all_;
}

void MovedBy::update(In before, In m, In v, const AdamWStep& step) {
    const double rate = step.learning_rate / (1 - math::power(step.beta1, double(step.step)));
    const double left = 1 - math::power(step.beta2, double(step.step));
    const double kept = step.beta1, taken = (1 - step.beta1) * step.gradient_scale;
    for (std::size_t i = 0; i < all_.size(); ++i) {
        factor_[i] = -rate / (std::sqrt(double(v[i]) / left) + step.epsilon);
        all_[i] += factor_[i] * double(m[i]);
        decay_[i] -= step.learning_rate * step.weight_decay * double(before[i]);
    }
    for (Cause& cause : causes_) {
        if (cause.touched) cause.known = true;
        if (!cause.known) continue;  // all its numbers are 0
        for (double& own : cause.m) own *= kept;
        if (cause.touched) {
            for (std::size_t i = 0; i < all_.size(); ++i) cause.m[i] += taken * cause.gradient[i];
            std::ranges::fill(cause.gradient, 0);
        }
        for (std::size_t i = 0; i < all_.size(); ++i) cause.moved[i] += factor_[i] * cause.m[i];
        cause.touched = false;
    }
}

Numbers MovedBy::by_rest() const {
    Numbers rest = all_;
    for (const Cause& cause : causes_)
        for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= cause.moved[i];
    return rest;
}

Numbers MovedBy::sum() const {
    Numbers sum = all_;
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += decay_[i];
    return sum;
}

// m of each cause, what each has moved, all_, decay_.
Numbers MovedBy::state() const {
    Numbers state;
    const auto add = [&](const Numbers& part) {
        state.insert(state.end(), part.begin(), part.end());
    };
    for (const Cause& cause : causes_) add(cause.m);
    for (const Cause& cause : causes_) add(cause.moved);
    add(all_), add(decay_);
    return state;
}

void MovedBy::restore(std::span<const double> state) {
    const auto take = [&](Numbers& part) {
        std::ranges::copy(state.first(part.size()), part.begin());
        state = state.subspan(part.size());
    };
    for (Cause& cause : causes_) take(cause.m);
    for (Cause& cause : causes_) take(cause.moved);
    take(all_), take(decay_);
    const auto is_not_0 = [](double x) { return x != 0; };
    for (Cause& cause : causes_)
        cause.known =
            std::ranges::any_of(cause.moved, is_not_0) || std::ranges::any_of(cause.m, is_not_0);
}

}  // namespace zhuyi
