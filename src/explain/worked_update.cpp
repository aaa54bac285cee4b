#include "explain/worked_update.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/parallel.h"
#include "train/optimizer.h"
#include "train/schedule.h"

namespace zhuyi {
namespace {

double power(double base, Index exponent) {
    double result = 1;
    for (; exponent > 0; exponent /= 2, base *= base)
        if (exponent % 2) result *= base;
    return result;
}

// The same roundings in the same order as the kernel, so that the new value is the optimizer's to
// the last bit: the bias corrections go into the learning rate and the root.
void apply(WorkedUpdate& u) {
    flush_denormals();
    const Real g = Real(u.raw) * Real(u.scale);
    const Real rest1 = Real(1 - u.beta1), rest2 = Real(1 - u.beta2);
    u.new_m = std::fma(Real(u.beta1), u.m, rest1 * g);
    u.new_v = std::fma(Real(u.beta2), u.v, rest2 * g * g);
    u.left_1 = 1 - power(u.beta1, u.step), u.left_2 = 1 - power(u.beta2, u.step);
    const Real correction = Real(1 / std::sqrt(u.left_2));
    const Real step = u.new_m / std::fma(std::sqrt(u.new_v), correction, Real(u.epsilon));
    const Real rate = Real(u.learning_rate / u.left_1);
    u.new_value = std::fma(-rate, step, u.value * Real(1 - u.learning_rate * u.decay));
    // what a person follows
    u.g = double(g);
    u.m_hat = double(u.new_m) / u.left_1;
    u.v_hat = double(u.new_v) / u.left_2;
    u.pull = u.learning_rate * u.decay * double(u.value);
    u.push = u.learning_rate * u.m_hat / (std::sqrt(u.v_hat) + u.epsilon);
}

}  // namespace

WorkedUpdate worked_update(Parameters& parameters, const std::string& name, Index row, Index column,
                           const TrainConfig& config, double gradient_norm, Index step) {
    const auto& table = parameters.table();
    const auto p = std::find_if(table.begin(), table.end(),
                                [&](const Parameter& each) { return each.name == name; });
    require(p != table.end(), "worked update: no such parameter");
    const std::size_t at = std::size_t(row * p->shape.columns() + column);
    WorkedUpdate u{name, row, column, p->frozen};
    u.value = u.new_value = parameters.value(*p)[at];
    u.m = u.new_m = parameters.m(*p)[at];
    u.v = u.new_v = parameters.v(*p)[at];
    if (u.frozen) return u;
    u.raw = double(parameters.grad(*p)[at]);
    u.scale = clip_scale(gradient_norm, config.clip);
    u.learning_rate = learning_rate(step, config);
    u.decay = p->decay ? config.weight_decay : 0;
    u.epsilon = config.epsilon;
    u.beta1 = config.beta1, u.beta2 = config.beta2;
    u.step = step + 1;
    apply(u);
    return u;
}

}  // namespace zhuyi
