#include "support/gradcheck.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/random.h"

namespace zhuyi {
inline namespace support {
namespace {

std::vector<Real> normal(Index count, std::uint64_t seed, double deviation) {
    const Random random(seed, Stream::initialisation, 0);
    std::vector<Real> values;
    for (Index i = 0; i < count; ++i) values.push_back(Real(deviation * random.normal(i)));
    return values;
}

}  // namespace

Leaf::Leaf(Shape shape, std::uint64_t seed, double deviation)
    : Leaf(shape, normal(shape.size(), seed, deviation)) {}

Leaf::Leaf(Shape shape, std::vector<Real> values)
    : value(std::move(values)),
      grad(value.size()),
      shape_(shape),
      gradient_{grad.data(), shape.size(), false} {}

Tensor Leaf::tensor(Tape& tape) {
    return {value.data(), tape.recording() ? &gradient_ : nullptr, &tape, shape_};
}

Tensor weighted_sum(const Tensor& y, std::uint64_t seed) {
    const std::vector<Real> drawn = normal(y.size(), seed, 1);
    Tape& tape = *y.tape;
    const std::span<Real> weights = tape.memory().array<Real>(y.size());
    std::copy(drawn.begin(), drawn.end(), weights.begin());
    const Tensor loss = tape.tensor({1});
    Real sum = 0;
    for (Index i = 0; i < y.size(); ++i) sum += weights[std::size_t(i)] * y.value[i];
    loss.value[0] = sum;
    tape.record("weighted_sum", {loss}, [=](Tape& t) {
        const Destination dy = t.into_zeroed(y);
        for (Index i = 0; dy && i < y.size(); ++i)
            dy.data[i] += weights[std::size_t(i)] * t.gradient(loss)[0];
    });
    return loss;
}

std::vector<Real> run_once(const OpUnderTest& op, const std::vector<Leaf*>& inputs, bool backward) {
    Tape tape(backward);
    std::vector<Tensor> tensors;
    for (Leaf* leaf : inputs) tensors.push_back(leaf->tensor(tape));
    const Tensor y = op(tape, tensors);
    std::vector<Real> output(y.value, y.value + y.size());
    if (backward) tape.backward(weighted_sum(y, 99));
    return output;
}

GradcheckResult gradcheck(const OpUnderTest& op, const std::vector<Leaf*>& inputs) {
    for (Leaf* leaf : inputs) leaf->forget();
    run_once(op, inputs);
    const auto loss = [&] {
        Tape tape(false);
        std::vector<Tensor> tensors;
        for (Leaf* leaf : inputs) tensors.push_back(leaf->tensor(tape));
        return double(weighted_sum(op(tape, tensors), 99).value[0]);
    };
    GradcheckResult result;
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        for (std::size_t i = 0; i < inputs[k]->value.size(); ++i) {
            Real& x = inputs[k]->value[i];
            const Real kept = x;
            x = Real(double(kept) + kDifference);
            const double above = loss();
            x = Real(double(kept) - kDifference);
            const double below = loss();
            x = kept;
            const double numeric = (above - below) / (2 * kDifference);
            const double analytic = inputs[k]->touched() ? double(inputs[k]->grad[i]) : 0;
            double error = std::abs(analytic - numeric) / std::max(1.0, std::abs(numeric));
            if (!(error == error)) error = 1e300;  // NaN is never a pass
            if (error <= result.worst) continue;
            result.worst = error;
            result.where = format("input %zu, element %zu: analytic %.9g, numeric %.9g", k, i,
                                  analytic, numeric);
        }
    }
    return result;
}

}  // namespace support
}  // namespace zhuyi
