// One block of the model: x plus attention, then x plus FFN.
#pragma once
#include "ops/linear.h"

namespace zhuyi {

class Parameters;
class Past;
struct GptConfig;

struct Norm {
    Tensor gamma, beta;  // (C)
};

struct Block {
    Index number;  // counts from 0
    Norm norm_1, norm_2;
    Affine W_Q, W_K, W_V, W_O;  // each a matrix (C, C) with its bias (C)
    Affine W_1, W_2;            // (C, F) and (F, C), with theirs
};

// The rows of the parameter table that belong to a block; views, valid as long as `parameters`.
Block block_of(Parameters& parameters, Index number);

// What one pass through the model needs besides weights and tokens.
struct Pass {
    bool training = false;   // dropout acts only then
    Past* past = nullptr;    // when text is written: keys and values of the earlier positions
    bool last_only = false;  // scores only for the last position of each text
};

// x (B, T, C) -> (B, T, C). angles (T_max, d_k): for rotary positions (ops/rotary.h); absent if
// the model has other positions.
Tensor run_block(Tensor x, const Block& block, const GptConfig& config, const Tensor& angles,
                 const Pass& pass);

}  // namespace zhuyi
