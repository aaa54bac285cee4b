// A model small enough to check every number of it.
#pragma once
#include <vector>

#include "autograd/tape.h"
#include "base/random.h"
#include "model/gpt.h"
#include "model/parameters.h"

namespace zhuyi {
inline namespace support {

inline GptConfig tiny_config() {
    GptConfig config;
    config.context = 8;
    config.channels = 12;
    config.heads = 2;
    config.layers = 2;
    config.ffn = 20;
    config.vocabulary = 17;
    return config;
}

// Parameters with every value drawn, biases and gains too, so that no gradient is zero by accident.
struct TinyGpt {
    GptConfig config;
    Parameters parameters;
    Gpt model;

    explicit TinyGpt(const GptConfig& c = tiny_config(), double deviation = 0.3)
        : config(c), parameters(parameter_table(c), true), model(c, parameters) {
        for (std::size_t row = 0; row < parameters.table().size(); ++row) {
            const Parameter& p = parameters.table()[row];
            const Random random(5, Stream::initialisation, row);
            const Out values = parameters.value(p);
            for (std::size_t i = 0; i < values.size(); ++i)
                values[i] = Real(p.mean + deviation * random.normal(Index(i)));
        }
    }
};

// Tokens drawn evenly.
inline std::vector<Token> some_tokens(Index count, Index vocabulary, std::uint64_t seed = 1) {
    const Random random(seed, Stream::batches, 0);
    std::vector<Token> tokens;
    for (Index i = 0; i < count; ++i) tokens.push_back(Token(random.below(vocabulary, i)));
    return tokens;
}

}  // namespace support
}  // namespace zhuyi
