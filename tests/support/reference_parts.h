// What the plain loops share. The table of all kernels stands in reference.cpp; two stories have
// files of their own: attention, and the optimizers.
#pragma once
#include "base/list.h"
#include "support/reference.h"

namespace zhuyi::reference {

using Numbers = List<double>;
inline Numbers zeros(Index count) { return Numbers(std::size_t(count)); }

// A result is stored, or added to what is there; where nobody wants it, nothing happens.
inline void put(Destination to, Index i, double value) {
    if (to) to.data[i] = Real(to.add ? double(to.data[i]) + value : value);
}

// reference_attention.cpp
void attention_forward(Real* mix, const Attention& a, Workspace&);
void attention_backward(Destination dQ, Destination dK, Destination dV, Real* d_weights,
                        Real* d_scores, const Real* d_mix, const Attention& a, Workspace&);

// reference_optimizer.cpp
double sum_of_squares(const Real* x, Index count, Workspace&);
void adamw(Real* weights, const Real* gradients, Real* m, Real* v, Index count, const AdamWStep& s);
void momentum(Real* u, Real* m, const Real* gradients, Index count, double mu, double s);
void orthogonalise(Real* y, const Real* x, Index rows, Index columns, Real*);
Index orthogonalise_numbers(Index, Index);
void descend(Real* w, const Real* y, Index count, double keep, double rate);

}  // namespace zhuyi::reference
