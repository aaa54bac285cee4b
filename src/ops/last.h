// y = the last position of each text
#pragma once
#include "base/tensor.h"

namespace zhuyi {

// x: (B, T, C), y: (B, 1, C); Error for an x of another rank. To continue a text, only the scores
// after its last token are needed.
Tensor last(const Tensor& x);

}  // namespace zhuyi
