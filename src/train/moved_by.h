// What moved one row of a parameter. The update of AdamW (train/optimizer.h) is linear in m, and m
// is linear in all gradients so far. So each cause of gradients has its own part of m, and with it
// its own part of every update:
//
//     m_k = β1 m_k + (1 - β1) scale · gradient_k             of cause k
//     Δw  = Σ_k (- η m̂_k / (√v̂ + ε))  -  η λ w               m̂_k = m_k / (1 - β1^step)
//
// Dividing by √v̂ + ε is AdamW's normalisation: the same for all causes, another one for each
// component. v is no sum over causes, and is given to none.
#pragma once
#include "base/grid.h"
#include "kernels/kernels.h"

namespace zhuyi {

class MovedBy {
  public:
    MovedBy(Index causes, Index length);

    // Returns the gradient of a cause in the next update (length), before clipping; the caller adds
    // to it.
    Numbers& gradient(Index cause) {
        causes_[cause].touched = true;
        return causes_[cause].gradient;
    }
    // Follows an update of the row: `before` holds its numbers before the update, m and v those
    // after it. Sets the gradients back to 0.
    void update(In before, In m, In v, const AdamWStep& step);

    // What each has added to w - w_0 since this object was made (length).
    const Numbers& moved(Index cause) const { return causes_[cause].moved; }
    Numbers by_rest() const;  // by all gradients that are of no cause
    const Numbers& by_decay() const { return decay_; }
    Numbers sum() const;  // of all of these: w - w_0 without its rounding

    // Everything but the gradients: state_length() numbers, from which restore() goes on.
    Numbers state() const;
    static Index state_length(Index causes, Index length) { return (2 * causes + 2) * length; }
    void restore(std::span<const double> state);

  private:
    struct Cause {
        Numbers gradient, m, moved;           // (length)
        bool touched = false, known = false;  // has a gradient: in this update; ever
    };
    List<Cause> causes_;
    Numbers all_, decay_, factor_;  // (length); all_: by all gradients
};

}  // namespace zhuyi
