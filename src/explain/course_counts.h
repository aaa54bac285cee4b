// How many weights the models have that the course names.
#pragma once
#include "model/config.h"

namespace zhuyi {

GptConfig gpt2_config(Index channels, Index layers, Index heads);  // V = 50257, T = 1024
GptConfig course_config();                                         // 12 blocks of 512, 4 heads
Index weights_of(const GptConfig& config);
// LLaMA: V = 32000, no biases, an FFN of three matrices, RMSNorm, an output layer of its own;
// keys: how many columns W_K and W_V have (C, or fewer where heads share them).
Index llama_weights(Index C, Index layers, Index ffn, Index keys);

}  // namespace zhuyi
