// y = x · mask / (1 - p)      (Srivastava et al. 2014, in its inverted form)
#pragma once
#include "autograd/tape.h"
#include "base/random.h"

namespace zhuyi {

// Sets a share p of x to zero and scales the rest so that the mean stays. The mask is a function of
// `random` and the element's index alone: it is never stored, and no thread and no restart can
// change it. p == 0 gives x itself.
Tensor dropout(const Tensor& x, double p, const Random& random);

}  // namespace zhuyi
