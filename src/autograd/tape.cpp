#include "autograd/tape.h"

#include <algorithm>

#include "base/check.h"

namespace zhuyi {

Tensor Tape::tensor(Shape shape) {
    Tensor x{arena_.array<Real>(shape.size()).data(), nullptr, this, shape};
    if (recording_) x.gradient = arena_.create(Gradient{nullptr, shape.size(), false});
    return x;
}

void Tape::backward(const Tensor& loss, Real seed) {
    require(recording_, {"backward needs a tape that records", "反向传播需要一条记录运算的 tape"});
    const Destination d_loss = into_zeroed(loss);
    for (Index i = 0; i < loss.size(); ++i) d_loss.data[i] += seed;

    const auto reached = [](const Tensor& y) { return y.gradient && y.gradient->touched; };
    for (std::size_t r = records_.size(); r-- > 0;) {
        const Record& record = records_[r];
        if (!std::any_of(record.outputs.begin(), record.outputs.end(), reached)) continue;
        watchers_.show_gradients(record.outputs, gradients_);
        record.backward(record.closure, *this);
        ran(Phase::backward, record.op);
        for (const Tensor& y : record.outputs) gradients_.give_back(y);
    }
}

void Tape::reset() {
    records_.clear();
    watchers_.forget_names();
    arena_.reset();
}

Tensor Tape::name(const char* name, const Tensor& x) {
    if (watchers_.any()) watchers_.show(name, x);
    return x;
}

bool Tape::watched(const char* name) const {
    return watchers_.any() && watchers_.want(watchers_.full_name(name));
}

void Tape::ran(Phase phase, const char* op) {
    op_ = op;
    lap(phase, op);
}

void Tape::lap(Phase phase, const char* part) {
    if (stopwatch_) stopwatch_->lap(phase, part);
}

}  // namespace zhuyi
