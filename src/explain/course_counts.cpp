#include "explain/course_counts.h"

#include "model/parameters.h"

namespace zhuyi {

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

Index Llama::attention() const { return layers * 2 * channels * (channels + keys); }

Index Llama::weights() const {
    constexpr Index kVocabulary = 32000;
    const Index C = channels;
    return 2 * kVocabulary * C + attention() + layers * (3 * C * ffn + 2 * C) + C;
}

std::span<const Llama> llamas() {
    static constexpr Llama kLlamas[] = {{"LLaMA-7B", 4096, 32, 11008, 4096},
                                        {"LLaMA-13B", 5120, 40, 13824, 5120},
                                        {"LLaMA-65B", 8192, 80, 22016, 8192},
                                        {"Llama 2 70B", 8192, 80, 28672, 1024}};
    return kLlamas;
}

}  // namespace zhuyi
