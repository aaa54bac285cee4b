// y = the last position of each text
#pragma once
#include "base/tensor.h"

namespace zhuyi {

// x: (B, T, C), y: (B, 1, C); Error for an x of another rank. Whoever writes on needs the scores behind a text, not
// those behind each word of it.
Tensor last(const Tensor& x);

}  // namespace zhuyi
