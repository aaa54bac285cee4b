#include "autograd/tape.h"

#include <algorithm>

#include "base/check.h"
#include "kernels/kernels.h"

namespace zhuyi {

Tensor Tape::tensor(Shape shape) {
    Tensor x{arena_.array<Real>(shape.size()).data(), nullptr, this, shape};
    if (recording_) x.gradient = arena_.create(Gradient{nullptr, shape.size(), false});
    return x;
}

void Tape::backward(const Tensor& loss, Real seed) {
    require(recording_, "backward needs a tape that records");
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

std::vector<Real*>& GradientMemory::shelf(Index size) {
    for (Shelf& shelf : shelves_)
        if (shelf.size == size) return shelf.free;
    return shelves_.emplace_back(Shelf{size, {}}).free;
}

Real* GradientMemory::borrow(Index size) {
    std::vector<Real*>& free = shelf(size);
    if (free.empty()) return pool_.array<Real>(size).data();
    Real* memory = free.back();
    free.pop_back();
    return memory;
}

// If other gradients share the memory: leaves it to them, so that this one has none.
bool GradientMemory::leave_to_others(Gradient& gradient) {
    const auto found = std::find(shared_.begin(), shared_.end(), gradient.data);
    if (found == shared_.end()) return false;
    shared_.erase(found);
    gradient.data = nullptr;
    return true;
}

void GradientMemory::give_back(const Tensor& y) {
    Gradient& gradient = *y.gradient;
    if (!gradient.data || leave_to_others(gradient)) return;
    shelf(gradient.size).push_back(gradient.data);
    gradient.data = nullptr;
}

Destination GradientMemory::into(const Tensor& x) {
    Gradient* gradient = x.gradient;
    if (!gradient) return {};
    const Real* common = gradient->data;
    if (leave_to_others(*gradient)) {
        gradient->data = borrow(gradient->size);
        kernels().accumulate({gradient->data, false}, common, gradient->size);
    }
    if (!gradient->data) gradient->data = borrow(gradient->size);
    const bool add = gradient->touched;
    gradient->touched = true;
    return {gradient->data, add};
}

Destination GradientMemory::into_zeroed(const Tensor& x) {
    Destination dx = into(x);
    if (dx && !dx.add) std::fill_n(dx.data, x.gradient->size, Real(0));
    dx.add = true;
    return dx;
}

const Real* GradientMemory::of(const Tensor& y) {
    return y.gradient->touched ? y.gradient->data : into_zeroed(y).data;
}

void GradientMemory::pass_on(const Tensor& y, const Tensor& x) {
    Gradient* dx = x.gradient;
    if (!dx) return;
    const Real* dy = of(y);
    if (dx->touched || dx->data) return kernels().accumulate(into(x), dy, dx->size);
    dx->data = y.gradient->data;
    dx->touched = true;
    shared_.push_back(dy);
}

}  // namespace zhuyi
