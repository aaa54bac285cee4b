#include "autograd/watching.h"

#include <algorithm>

#include "autograd/tape.h"

namespace zhuyi {

bool Watchers::want(std::string_view full_name) const {
    const auto wants = [&](const Watcher* watcher) { return watcher->wants(full_name); };
    return std::any_of(watchers_.begin(), watchers_.end(), wants);
}

// tell(watcher, shown) for everyone who wants it; `shown`: not only asked to replace.
template <class Tell>
void Watchers::each(std::string_view full_name, const Tell& tell) const {
    for (Watcher* watcher : watchers_)
        if (watcher->wants(full_name)) tell(*watcher, !alone_ || alone_ == watcher);
}

void Watchers::show(std::string_view name, const Tensor& x) {
    const std::string full = full_name(name);
    if (!want(full)) return;
    each(full, [&](Watcher& watcher, bool) { watcher.replace(full, x); });
    each(full, [&](Watcher& watcher, bool shown) {
        if (shown) watcher.value(full, x);
    });
    named_.push_back({full, x});
}

void Watchers::show_gradient(std::string_view full_name, const Tensor& x, In gradient) {
    each(full_name, [&](Watcher& watcher, bool shown) {
        if (shown) watcher.gradient(full_name, x, gradient);
    });
}

void Watchers::show_gradients(std::span<const Tensor> outputs, GradientMemory& gradients) {
    for (std::size_t n = named_.size(); n-- > 0;)
        for (const Tensor& y : outputs) {
            if (named_[n].tensor.gradient != y.gradient) continue;
            // into_zeroed: memory of its own, for whoever replaces the numbers
            const Out dy(gradients.into_zeroed(y).data, std::size_t(y.size()));
            each(named_[n].name,
                 [&](Watcher& watcher, bool) { watcher.replace_gradient(named_[n].name, dy); });
            show_gradient(named_[n].name, y, dy);
        }
}

Watching::Watching(Tape& tape, const std::vector<Watcher*>& watchers)
    : watchers_(tape.watchers()),
      before_(watchers_.watchers_.size()),
      alone_before_(watchers_.alone_) {
    watchers_.watchers_.insert(watchers_.watchers_.end(), watchers.begin(), watchers.end());
}

Watching::Watching(Tape& tape, Watcher& watcher, bool alone)
    : Watching(tape, std::vector<Watcher*>{&watcher}) {
    if (alone) watchers_.alone_ = &watcher;
}

Watching::~Watching() {
    watchers_.watchers_.resize(before_);
    watchers_.alone_ = alone_before_;
}

Scope::Scope(Tape& tape, std::string_view name, Index number)
    : watchers_(tape.watchers()), outer_(watchers_.scope_.size()) {
    if (!watchers_.any()) return;  // nobody reads names: make none
    watchers_.scope_ += name;
    if (number >= 0) watchers_.scope_ += "." + std::to_string(number);
    watchers_.scope_ += ".";
}

}  // namespace zhuyi
