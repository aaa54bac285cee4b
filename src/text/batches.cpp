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
    const Index readings = window / std::ssize(shuffled_);
    if (readings != reading_) shuffle(readings);
    return shuffled_[std::size_t(window % std::ssize(shuffled_))];
}

// Behind the text's end the windows go on at its beginning. Each takes the place of one before it,
// which goes to the end, or comes there itself (Fisher and Yates).
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
