// What moved one row of a parameter. The update of AdamW (train/optimizer.h) is linear in m, and m is
// linear in all gradients so far. So each cause of gradients has its own part of m, and with it its
// own part of every update:
//
//     m_k = β1 m_k + (1 - β1) scale · gradient_k             of cause k
//     Δw  = Σ_k (- η m̂_k / (√v̂ + ε))  -  η λ w               m̂_k = m_k / (1 - β1^step)
//
// Dividing by √v̂ + ε is AdamW's normalisation: the same for all causes, another one for each
// component. v is no sum over causes, and is given to none.
#pragma once
#include <span>
#include <vector>

#include "base/real.h"
#include "kernels/kernels.h"

namespace zhuyi {

class MovedBy {
    template <class Numbers>
    auto part(Numbers& numbers, Index cause) const {
        return std::span(numbers).subspan(std::size_t(cause * length_), std::size_t(length_));
    }

  public:
    MovedBy(Index causes, Index length);

    // (length): the gradient of a cause in the next update, before clipping. To be added to.
    std::span<double> gradient(Index cause) {
        touched_[std::size_t(cause)] = true;
        return part(gradients_, cause);
    }
    // After an update of the row: `before`, its numbers before it; m and v, after it. The gradients
    // are then 0 again.
    void update(In before, In m, In v, const AdamWStep& step);

    // (length): what each has added to w - w_0 since this object was made.
    std::span<const double> moved(Index cause) const { return part(moved_, cause); }
    std::vector<double> by_rest() const;  // by all gradients that are of no cause
    std::span<const double> by_decay() const { return decay_; }
    std::vector<double> sum() const;  // of all of these: w - w_0 without its rounding

    // All of it but the gradients, to go on from.
    std::vector<double> state() const;
    static Index state_length(Index causes, Index length) { return (2 * causes + 2) * length; }
    void restore(std::span<const double> state);  // of state_length() numbers

  private:
    Index causes_, length_;
    std::vector<double> gradients_, m_, moved_;  // (causes, length)
    std::vector<bool> touched_, known_;          // (causes): in this update; ever
    std::vector<double> all_, decay_, factor_;   // (length); all_: by all gradients
};

}  // namespace zhuyi
