#include "text/suggestion.h"

#include <algorithm>

namespace zhuyi {

namespace {

// A few minutes on a laptop, at some 50 billion multiplications and additions a second.
constexpr double kOperations = 1e13;

// Forward and backward are six operations for each weight and token (Kaplan et al., arXiv
// 2001.08361, sec. 2.1): 12 C² weights in each block, C for each row of the vocabulary.
double operations_per_step(const Suggestion& model, Index vocabulary) {
    const double C = double(model.channels);
    const double weights = 12.0 * double(model.layers) * C * C + C * double(vocabulary);
    return 6.0 * weights * double(model.batch * model.context);
}

}  // namespace

// A small text is soon learnt by heart (overfitting); a smaller model, more dropout and fewer steps
// delay that. From a megabyte on, the shape is that of nanoGPT's recipe for laptops.
Suggestion suggest_model(Index characters, Index vocabulary) {
    Suggestion model;
    if (characters < 20'000)
        model = {64, 96, 4, 3, 16, 0, 0.2, 1e-3};
    else if (characters < 60'000)
        model = {64, 128, 4, 3, 16, 0, 0.2, 1e-3};
    else if (characters < 500'000)
        model = {64, 128, 4, 4, 16, 0, 0.1, 1e-3};
    else if (characters < 5'000'000)
        model = {64, 128, 4, 4, 16, 0, 0.0, 1e-3};
    else
        model = {128, 192, 6, 6, 12, 0, 0.0, 1e-3};

    // Thirty times through the text, or as often as the time allows.
    const double passes = 30.0 * double(characters) / double(model.batch * model.context);
    const double affordable = kOperations / operations_per_step(model, vocabulary);
    const double steps = std::min({passes, affordable, 3000.0});
    model.steps = std::max<Index>(200, Index(steps / 100) * 100);

    // A text shorter than a few windows still trains.
    while (model.context > 8 && model.context * 4 > characters) model.context /= 2;
    return model;
}

}  // namespace zhuyi
