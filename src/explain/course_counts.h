// How many weights the models have that the course names.
#pragma once
#include <span>

#include "model/config.h"

namespace zhuyi {

GptConfig gpt2_config(Index channels, Index layers, Index heads);  // V = 50257, T = 1024
GptConfig course_config();                                         // 12 blocks of 512, 4 heads
Index weights_of(const GptConfig& config);

// V = 32000, no biases, an FFN of three matrices, RMSNorm, an output layer of its own.
struct Llama {
    const char* name;
    Index channels, layers, ffn;
    Index keys;               // columns of W_K and W_V: C, or fewer where heads share them
    Index attention() const;  // W_Q, W_K, W_V, W_O
    Index weights() const;    // all
};
std::span<const Llama> llamas();  // 7B, 13B, 65B, and 70B of Llama 2

}  // namespace zhuyi
