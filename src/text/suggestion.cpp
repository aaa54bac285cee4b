#include "text/suggestion.h"

#include <algorithm>

#include "base/format.h"

namespace zhuyi {

namespace {

// A few minutes on a laptop, at some 50 billion multiplications and additions a second.
constexpr double kOperations = 8.5e12;

struct Sizes {
    Index channels, layers;
    double passes;  // through the text
    double learning_rate, dropout, embedding_dropout, weight_decay;
    Index context = 64, heads = 4, batch = 16;
};

// Measured on texts of these sizes (configs/README.md): a small text is soon learnt by heart
// (overfitting), and Muon learns it by heart sooner than AdamW does. A smaller model, a lower rate,
// more dropout and fewer steps delay that. From a megabyte on, the shape is that of nanoGPT's
// recipe for laptops.
Sizes sizes_for(Index characters) {
    if (characters < 20'000) return {64, 1, 25, 2e-3, 0.2, 0, 0.1};
    if (characters < 60'000) return {64, 2, 18, 2e-3, 0.2, 0, 0.5};
    if (characters < 500'000) return {128, 4, 11, 8e-3, 0.25, 0.1, 0.5};
    if (characters < 5'000'000) return {128, 4, 30, 8e-3, 0, 0, 0.1};
    return {192, 6, 30, 8e-3, 0, 0, 0.1, 128, 6, 12};
}

// Forward and backward are six operations for each weight and token (Kaplan et al., arXiv
// 2001.08361, sec. 2.1): 12 C² weights in each block, C for each row of the vocabulary.
double operations_per_step(const Sizes& model, Index vocabulary) {
    const double C = double(model.channels);
    const double weights = 12.0 * double(model.layers) * C * C + C * double(vocabulary);
    return 6.0 * weights * double(model.batch * model.context);
}

std::string word(Index value) { return std::to_string(value); }
std::string word(double value) { return format("%g", value); }
std::string word(const char* value) { return value; }

}  // namespace

std::string text_of(const OptionValue& value) {
    return std::visit([](auto v) { return word(v); }, value);
}

Suggestion suggest(Index characters, Index vocabulary) {
    Sizes s = sizes_for(characters);
    const double passes = s.passes * double(characters) / double(s.batch * s.context);
    const double affordable = kOperations / operations_per_step(s, vocabulary);
    const double fitting = std::min({passes, affordable, 3000.0});
    const Index steps = std::max<Index>(100, Index(fitting / 100) * 100);

    // A text shorter than a few windows still trains.
    while (s.context > 8 && s.context * 4 > characters) s.context /= 2;
    return {{{"context", s.context},
             {"channels", s.channels},
             {"heads", s.heads},
             {"layers", s.layers},
             {"position", "rotary"}},
            {{"batch", s.batch},
             {"steps", steps},
             {"optimizer", "muon"},
             {"learning_rate", s.learning_rate},
             {"schedule", "linear"},
             {"weight_decay", s.weight_decay},
             {"dropout", s.dropout},
             {"embedding_dropout", s.embedding_dropout}}};
}

}  // namespace zhuyi
