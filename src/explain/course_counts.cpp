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

Index llama_weights(Index C, Index layers, Index ffn, Index keys) {
    constexpr Index kVocabulary = 32000;
    const Index block = 2 * C * C + 2 * C * keys + 3 * C * ffn + 2 * C;
    return 2 * kVocabulary * C + layers * block + C;
}

}  // namespace zhuyi
