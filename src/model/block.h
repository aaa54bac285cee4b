// One block of the stack: two lines, two residual branches.
#pragma once
#include "base/random.h"
#include "model/config.h"
#include "model/parameters.h"
#include "model/past.h"
#include "ops/linear.h"

namespace zhuyi {

struct Norm {
    Tensor gamma, beta;  // (C)
};

struct Block {
    Index number;  // counts from 0
    Norm norm_1, norm_2;
    Affine Q, K, V, O;        // (C, C): W_Q, W_K, W_V, W_O with their biases
    Affine expand, contract;  // W_1 (C, F), W_2 (F, C)
};

Block block_of(Parameters& parameters, Index number);

// What one pass through the model needs besides weights and tokens.
struct Pass {
    bool training = false;   // dropout acts only then
    std::uint64_t seed = 0;  // of dropout, together with
    Index step = 0;          // the training step and
    Index micro_step = 0;    // the part of an accumulated batch
    Past* past = nullptr;    // keys and values of earlier positions
    bool last_only = false;  // scores of each text's last position alone
};

// x (B, T, C) -> (B, T, C)
Tensor run_block(Tensor x, const Block& block, const GptConfig& config, const Pass& pass);

}  // namespace zhuyi
