// One head of attention with every number between Q, K, V and the weighted sum of V.
#pragma once
#include "base/grid.h"
#include "ops/attention.h"

namespace zhuyi {

class Tape;

struct WorkedHead {
    Mask mask = Mask::causal;
    Grid Q, K, V;       // (T, d_k), (T, d_k), (T, d_v): this head's columns
    Grid products;      // (T, T): Q[t] · K[s], also where the mask will hide it
    Grid scaled;        // products / √d_k
    Numbers shifts;     // (T): what is taken off a row before exp: its maximum, or 0
    Grid exponentials;  // e^(scaled - shift); 0 where the mask hides
    Numbers sums;       // (T): Σ of a row of exponentials
    Grid weights;       // (T, T): the op's softmax
    Grid mix;           // (T, d_v): the op's weights · V

    bool sees(Index t, Index s) const { return mask == Mask::none || s <= t; }
};

// weights, mix: what the attention op gave for these Q, K, V (each one text, one head). The
// products Q · Kᵀ are computed on `tape` by unembedding() (ops/linear.h): rows with rows.
// `shift`: subtract each row's maximum, as the op does; otherwise e^scaled stands there as in the
// formula.
WorkedHead worked_head(Tape& tape, const Grid& Q, const Grid& K, const Grid& V, const Grid& weights,
                       const Grid& mix, Mask mask, bool shift);

}  // namespace zhuyi
