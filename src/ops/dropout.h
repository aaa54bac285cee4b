// y = x · mask / (1 - p)      (Srivastava et al. 2014, in its inverted form)
#pragma once
#include "base/tensor.h"

namespace zhuyi {

// Sets a share p of x (any shape) to zero and scales the rest so that the mean stays. p == 0 gives
// x itself. The mask follows from the seed, the step, the number of this dropout in the step
// (Tape::dropouts()) and the element's index: it is never stored, and neither threads nor a restart
// can change it.
Tensor dropout(const Tensor& x, double p);

}  // namespace zhuyi
