#include "explain/known_models.h"

#include "model/parameters.h"

namespace zhuyi {
namespace {

// V = 32000, no biases, an FFN of three matrices, RMSNorm, an output layer of its own.
// keys: columns of W_K and W_V; C, or fewer where several heads share them.
KnownModel llama(const char* name, Index C, Index layers, Index ffn, Index keys) {
    const Index attention = layers * 2 * C * (C + keys);
    return {name, C, layers, attention,
            2 * 32000 * C + attention + layers * (3 * C * ffn + 2 * C) + C};
}

KnownModel gpt(const char* name, const GptConfig& config) {
    return {name, config.channels, config.layers,
            4 * config.layers * config.channels * config.channels, weights_of(config)};
}

}  // namespace

GptConfig gpt2_config(Index channels, Index layers, Index heads) {
    GptConfig config;
    config.context = 1024, config.channels = channels, config.layers = layers;
    config.heads = heads, config.vocabulary = 50257;
    return config;
}

GptConfig course_config() {
    GptConfig config;
    config.context = 16, config.channels = 512, config.layers = 12;
    config.heads = 4, config.vocabulary = 1233;  // as configs/course.conf
    return config;
}

Index weights_of(const GptConfig& config) { return count(parameter_table(config)); }

// Sizes as published: Radford et al. 2019, Brown et al. 2020, Touvron et al. 2023 (twice).
std::vector<KnownModel> known_models() {
    GptConfig gpt3 = gpt2_config(12288, 96, 96);
    gpt3.context = 2048;
    return {gpt("GPT-2 small", gpt2_config(768, 12, 12)),
            gpt("GPT-2 medium", gpt2_config(1024, 24, 16)),
            gpt("GPT-2 large", gpt2_config(1280, 36, 20)),
            gpt("GPT-2 XL", gpt2_config(1600, 48, 25)),
            gpt("GPT-3", gpt3),
            llama("LLaMA-7B", 4096, 32, 11008, 4096),
            llama("LLaMA-13B", 5120, 40, 13824, 5120),
            llama("LLaMA-65B", 8192, 80, 22016, 8192),
            llama("Llama 2 70B", 8192, 80, 28672, 1024)};
}

}  // namespace zhuyi
