// What each kernel computes, in plain loops (reference.cpp). Nothing here is fast: these functions
// are the oracle that tests hold the real kernels against. Sums are kept in double, so the
// reference is the more accurate side, not the bit-equal one.
#pragma once
#include "kernels/kernels.h"

namespace zhuyi::reference {

// A whole table, so that anything that runs on kernels can also run on these; its name is
// "reference".
const Kernels& kernels();

// The nearest number of eight significant bits (ties to even); below 2^-126 zero. What precision
// bf16 does to the operands of a product.
Real round_to_bf16(Real x);

}  // namespace zhuyi::reference
