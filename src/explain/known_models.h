// How many weights the models have that everybody talks about.
#pragma once
#include <vector>

#include "model/config.h"

namespace zhuyi {

struct KnownModel {
    const char* name;
    Index channels, layers;
    Index attention;  // weights of all W_Q, W_K, W_V, W_O
    Index all;
};
std::vector<KnownModel> known_models();  // GPT-2, GPT-3, LLaMA, Llama 2

GptConfig gpt2_config(Index channels, Index layers, Index heads);  // V = 50257, T = 1024
GptConfig course_config();                                         // 12 blocks of 512, 4 heads
Index weights_of(const GptConfig& config);                         // all

}  // namespace zhuyi
