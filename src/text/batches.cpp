#include "text/batches.h"

#include <algorithm>

#include "base/check.h"
#include "base/random.h"

namespace zhuyi {

const char* name_of(WindowOrder order) {
    return order == WindowOrder::shuffled ? "shuffled" : "random";
}

Batches::Batches(std::span<const Token> text, const BatchConfig& config, Index T)
    : text_(text),
      config_(config),
      T_(T),
      beginnings_(std::ssize(text) - T),
      shuffled_(std::size_t(std::max<Index>(1, beginnings_ / T))),
      ids_(std::size_t(config.batch * T)),
      targets_(ids_.size()) {
    require(beginnings_ > 0, "a batch needs more tokens than a window has positions");
}

DrawBatch Batches::of_step(Index step) {
    return [this, step](Index pass) -> Batch {
        for (Index b = 0; b < config_.batch; ++b) {
            const auto window = text_.begin() + beginning(step, pass, b);
            std::copy_n(window, T_, ids_.begin() + b * T_);
            std::copy_n(window + 1, T_, targets_.begin() + b * T_);
        }
        return {ids_, targets_, config_.batch};
    };
}

Index Batches::beginning(Index step, Index pass, Index b) {
    if (config_.order == WindowOrder::random)
        return Random(std::uint64_t(config_.seed), Stream::batches, std::uint64_t(step),
                      std::uint64_t(pass))
            .below(beginnings_, b);
    const Index window = (step * config_.accumulate + pass) * config_.batch + b;
    const Index reading = window / std::ssize(shuffled_);
    if (reading != reading_) shuffle(reading);
    return shuffled_[std::size_t(window % std::ssize(shuffled_))];
}

// The windows lie side by side from `first` on, and behind the text's end from its beginning on.
// Window i is put at a random place up to i; what stood there moves to place i (Fisher and Yates).
void Batches::shuffle(Index reading) {
    const Random random(std::uint64_t(config_.seed), Stream::order, std::uint64_t(reading));
    const Index first = random.below(beginnings_, 0);
    for (Index i = 0; i < std::ssize(shuffled_); ++i) {
        const std::size_t place = std::size_t(i > 0 ? random.below(i + 1, i) : 0);
        shuffled_[std::size_t(i)] = shuffled_[place];
        shuffled_[place] = (first + i * T_) % beginnings_;
    }
    reading_ = reading;
}

}  // namespace zhuyi
