#include "autograd/tape.h"

#include "base/check.h"

namespace zhuyi {

Tape::Tape(bool recording, Precision precision) : recording_(recording), precision_(precision) {}

Tensor Tape::tensor(Shape shape) {
    Tensor x{arena_.array<Real>(shape.size()).data(), nullptr, this, shape};
    if (recording_) x.gradient = arena_.create(Gradient{nullptr, shape.size(), false});
    return x;
}

const char* Tape::keep_text(std::string_view text) {
    const std::span<char> kept = keep<char>(Index(text.size()) + 1);
    std::copy(text.begin(), text.end(), kept.begin());
    kept.back() = '\0';
    return kept.data();
}

Real* Tape::borrow(Index size) {
    for (Shelf& shelf : shelves_) {
        if (shelf.size != size) continue;
        if (shelf.free.empty()) break;
        Real* memory = shelf.free.back();
        shelf.free.pop_back();
        return memory;
    }
    return pool_.array<Real>(size).data();
}

// Whether others still need the memory; if so, it is theirs.
bool Tape::leave_shared(Gradient& gradient) {
    const auto owner = std::find(shared_.begin(), shared_.end(), gradient.data);
    if (owner == shared_.end()) return false;
    shared_.erase(owner);
    gradient.data = nullptr;
    return true;
}

void Tape::give_back(Gradient& gradient) {
    if (!gradient.data || leave_shared(gradient)) return;
    for (Shelf& shelf : shelves_) {
        if (shelf.size != gradient.size) continue;
        shelf.free.push_back(gradient.data);
        gradient.data = nullptr;
        return;
    }
    shelves_.push_back({gradient.size, {gradient.data}});
    gradient.data = nullptr;
}

Sum Tape::into(const Tensor& input) {
    Gradient* gradient = input.gradient;
    if (!gradient) return {};
    const Real* common = gradient->data;
    if (leave_shared(*gradient)) {
        gradient->data = borrow(gradient->size);
        kernels().accumulate({gradient->data}, common, gradient->size);
    }
    if (!gradient->data) gradient->data = borrow(gradient->size);
    const bool add = gradient->touched;
    gradient->touched = true;
    return {gradient->data, add};
}

void Tape::pass_on(const Tensor& output, const Tensor& input) {
    Gradient* dx = input.gradient;
    if (!dx) return;
    const Real* dy = gradient(output);
    if (dx->touched || dx->data) return kernels().accumulate(into(input), dy, dx->size);
    dx->data = output.gradient->data;
    dx->touched = true;
    shared_.push_back(dy);
}

Sum Tape::into_zeroed(const Tensor& input) {
    Sum sum = into(input);
    if (sum && !sum.add) std::fill_n(sum.data, input.gradient->size, Real(0));
    sum.add = true;
    return sum;
}

// An op with several outputs may be reached through one of them only; the others' gradients are
// zero.
const Real* Tape::gradient(const Tensor& output) {
    return output.gradient->touched ? output.gradient->data : into_zeroed(output).data;
}

void Tape::backward(const Tensor& loss, Real seed) {
    require(recording_, "backward needs a tape that records");
    const Sum start = into_zeroed(loss);
    for (Index i = 0; i < loss.size(); ++i) start.data[i] += seed;
    for (std::size_t r = records_.size(); r-- > 0;) {
        const Record& record = records_[r];
        const auto reached = [](const Tensor& y) { return y.gradient && y.gradient->touched; };
        if (!std::any_of(record.outputs.begin(), record.outputs.end(), reached)) continue;
        for (std::size_t n = named_.size(); n-- > 0;)
            for (const Tensor& y : record.outputs)
                if (watcher_ && named_[n].tensor.gradient == y.gradient)
                    watcher_->gradient(named_[n].name, y, {gradient(y), std::size_t(y.size())});
        record.undo(record.closure, *this);
        lap(Phase::backward, record.op);
        for (const Tensor& y : record.outputs) give_back(*y.gradient);
    }
}

void Tape::reset() {
    records_.clear();
    named_.clear();
    arena_.reset();
}

std::string Tape::full_name(std::string_view name) const { return scope_ + std::string(name); }

Tensor Tape::name(const char* name, const Tensor& x) {
    if (watched(name)) {
        named_.push_back({full_name(name), x});
        watcher_->value(named_.back().name, x);
    }
    return x;
}

void Tape::show_gradient(const std::string& full_name, const Tensor& x, In gradient) {
    if (watcher_) watcher_->gradient(full_name, x, gradient);
}

Tape::Scope::Scope(Tape& tape, const char* name, Index number)
    : tape_(tape), outer_(tape.scope_.size()) {
    if (!tape.watcher_) return;  // without a watcher no name is ever read: spell none
    tape.scope_ += name;
    if (number >= 0) tape.scope_ += "." + std::to_string(number);
    tape.scope_ += ".";
}

Tape::Scope::~Scope() { tape_.scope_.resize(outer_); }

}  // namespace zhuyi
