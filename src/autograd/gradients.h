// Memory for the gradients of a tape's activations.
//
// A gradient borrows memory when the first part is added to it, and gives it back as soon as the op
// that made the tensor has run its backward. So only a few gradients exist at a time, however many
// blocks there are. Memory that comes back waits on a shelf for the next gradient of the same size:
// from the second step on, training allocates nothing.
//
// (The gradients of parameters lie in memory of their own, model/parameters.h, which is never
// borrowed or given back.)
#pragma once
#include <vector>

#include "base/arena.h"
#include "base/tensor.h"

namespace zhuyi {

class GradientMemory {
  public:
    // Where an op adds its part of d loss / d x. Null data: nobody wants the gradient of x.
    Destination into(const Tensor& x);
    // The same, already filled with numbers (`add` is true): for ops that reach only some rows.
    Destination into_zeroed(const Tensor& x);
    // d loss / d y of an output y: all parts have been added when the backward of the op that made
    // y runs. Zeros if none was: of an op's several outputs the loss may depend on only one.
    const Real* of(const Tensor& y);
    // dx += dy, for an op that passes its output's gradient on unchanged. If nothing was added to
    // dx yet, dx and dy share one memory, and the first of them that is added to afterwards gets a
    // copy.
    void pass_on(const Tensor& y, const Tensor& x);
    // The gradient of y is not needed any more.
    void give_back(const Tensor& y);

    std::size_t bytes() const { return pool_.capacity(); }
    std::size_t used_bytes() const { return pool_.used(); }

  private:
    // Memory of one size that nobody uses at the moment.
    struct Shelf {
        Index size;
        std::vector<Real*> free;
    };
    std::vector<Real*>& shelf(Index size);
    Real* borrow(Index size);
    bool leave_to_others(Gradient& gradient);

    Arena pool_;  // never reset: gradients of the same sizes come back every step
    std::vector<Shelf> shelves_;
    std::vector<const Real*> shared_;  // memory that n gradients share is listed n - 1 times
};

}  // namespace zhuyi
