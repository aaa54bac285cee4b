#include "explain/moved_by.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"

namespace zhuyi {

MovedBy::MovedBy(Index causes, Index length)
    : causes_(causes),
      length_(length),
      gradients_(std::size_t(causes * length)),
      m_(gradients_.size()),
      moved_(gradients_.size()),
      touched_(std::size_t(causes)),
      known_(std::size_t(causes)),
      all_(std::size_t(length)),
      decay_(std::size_t(length)),
      factor_(std::size_t(length)) {}

void MovedBy::update(In before, In m, In v, const AdamWStep& step) {
    const double rate = step.learning_rate / (1 - math::power(step.beta1, double(step.step)));
    const double left = 1 - math::power(step.beta2, double(step.step));
    const double kept = step.beta1, taken = (1 - step.beta1) * step.gradient_scale;
    const auto n = std::size_t(length_);
    for (std::size_t i = 0; i < n; ++i) {
        factor_[i] = -rate / (std::sqrt(double(v[i]) / left) + step.epsilon);
        all_[i] += factor_[i] * double(m[i]);
        decay_[i] -= step.learning_rate * step.weight_decay * double(before[i]);
    }
    for (Index k = 0; k < causes_; ++k) {
        const bool touched = touched_[std::size_t(k)];
        if (touched) known_[std::size_t(k)] = true;
        if (!known_[std::size_t(k)]) continue;  // all its numbers are 0
        const std::span<double> g = part(gradients_, k), own = part(m_, k), sum = part(moved_, k);
        for (std::size_t i = 0; i < n; ++i) own[i] *= kept;
        for (std::size_t i = 0; touched && i < n; ++i) own[i] += taken * g[i];
        for (std::size_t i = 0; i < n; ++i) sum[i] += factor_[i] * own[i];
        if (touched) std::ranges::fill(g, 0);
        touched_[std::size_t(k)] = false;
    }
}

std::vector<double> MovedBy::by_rest() const {
    std::vector<double> rest = all_;
    for (std::size_t i = 0; i < moved_.size(); ++i) rest[i % rest.size()] -= moved_[i];
    return rest;
}

std::vector<double> MovedBy::sum() const {
    std::vector<double> sum = all_;
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += decay_[i];
    return sum;
}

std::vector<double> MovedBy::state() const {
    std::vector<double> all;
    for (const auto* part : {&m_, &moved_, &all_, &decay_})
        all.insert(all.end(), part->begin(), part->end());
    return all;
}

void MovedBy::restore(std::span<const double> state) {
    for (auto* part : {&m_, &moved_, &all_, &decay_}) {
        std::ranges::copy(state.first(part->size()), part->begin());
        state = state.subspan(part->size());
    }
    for (Index k = 0; k < causes_; ++k) {
        const auto is_not_0 = [](double x) { return x != 0; };
        known_[std::size_t(k)] = std::ranges::any_of(part(moved_, k), is_not_0) ||
                                 std::ranges::any_of(part(m_, k), is_not_0);
    }
}

}  // namespace zhuyi
