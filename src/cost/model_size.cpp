#include "cost/model_size.h"

#include <algorithm>

#include "base/format.h"
#include "model/config.h"
#include "train/config.h"
#include "train/optimizer.h"

namespace zhuyi {
constexpr double kBytes = sizeof(Real);

// Counts the numbers that a tape holds after one pass forward; the lines follow model/block.cpp.
// Attention's weights are not counted: backward computes them again.
static double kept_numbers(const GptConfig& c, double B, bool training) {
    const double N = B * double(c.context), C = double(c.channels), F = double(c.width());
    const double H = double(c.heads), V = double(c.vocabulary);
    const bool erf = c.activation == Activation::gelu;
    const double norm = N * C + 2 * N;  // and mean and rstd of each row
    const double turned = c.position == Position::rotary ? 2 * N * C : 0;  // Q and K
    // Q K V, max and 1/Σ, mix, W_O
    const double attention = 3 * N * C + turned + 2 * N * H + 2 * N * C;
    // GELU keeps its output, and for backward its slope (tanh form) or its input (erf form). The
    // last N C numbers are the output of W_2.
    const double ffn = N * F * (training || erf ? 2 : 1) + N * C;
    const double residual = training && c.dropout > 0 ? 2 * N * C : N * C;
    const double block = norm + attention + residual + norm + ffn + residual;
    const double dropped = training && c.embedding_dropout > 0 ? N * C : 0;
    const double loss = N * V + 5 * N;  // logits; target, loss (in double), max and 1/Σ of each row
    return N + N * C + dropped + double(c.layers) * block + norm + loss;
}

// Counts the gradients that exist at the same time. The gradient of an activation lives until the
// backward of the op that made the activation; then another gradient of the same size gets its
// memory. The largest number exists when these are counted together: the gradient of the logits,
// those at the widest point of one block (the FFN), and five of width C at attention (of the
// residual connection, of weights·V, of Q, K and V). In the tanh form of GELU the gradient of its
// input takes the memory of the gradient of its output.
static double borrowed_numbers(const GptConfig& c, double B) {
    const double N = B * double(c.context), F = double(c.width());
    const double wide = N * F * (c.activation == Activation::gelu ? 2 : 1);
    return N * double(c.vocabulary) + wide + 5 * N * double(c.channels);
}

std::map<Kind, std::vector<Parameter>> rows_by_kind(const std::vector<Parameter>& table) {
    std::map<Kind, std::vector<Parameter>> kinds;
    for (const Parameter& p : table) kinds[p.kind].push_back(p);
    return kinds;
}

Index attention_matrices(const std::vector<Parameter>& table) {
    Index sum = 0;
    for (const Parameter& p : table)
        if (p.block_matrix && p.kind != Kind::ffn_weight) sum += p.shape.size();
    return sum;
}

Memory training_memory(const GptConfig& config, const TrainConfig& training) {
    const double length = sum_over_table(config, buffer_length) * kBytes;
    const double B = double(training.batch);
    TrainConfig adamw = training;
    adamw.optimizer = UpdateRule::adamw;
    const auto moments = [&](const TrainConfig& with) {
        const Rules rules = make_rules(with);
        return sum_over_table(config, [&](const auto& rows) { return state_length(rules, rows); });
    };
    return {length, length, moments(training) * kBytes,
            (moments(adamw) - moments(training)) * kBytes,
            (kept_numbers(config, B, true) + borrowed_numbers(config, B)) * kBytes};
}

// The optimizer calls it "adam.m"; a person reads "m".
std::string words_of_moments(const TrainConfig& training) {
    std::string words;
    for (const auto& rule : make_rules(training)) {
        if (!words.empty()) words += say({", ", "，"});
        words += say({"%s's ", "%s 的 "}, rule->name());
        words += joined(rule->remembers(), say({" and ", " 和 "}),
                        [](const std::string& name) { return name.substr(name.rfind('.') + 1); });
    }
    return words;
}

std::string words_of_spared(const Memory& memory) {
    if (memory.spared <= 0) return {};
    return say({"%s less than AdamW alone", "比全用 AdamW 省 %s"}, bytes_text(memory.spared));
}

double evaluation_memory(const GptConfig& config, const TrainConfig& training) {
    return kept_numbers(config, double(training.batch), false) * kBytes;
}

double asking_memory(const GptConfig& config, Index tokens) {
    const Index B = std::max<Index>(1, tokens / config.context);
    return (kept_numbers(config, double(B), false) +
            double(B) * attention_pattern(config, config.context)) *
           kBytes;
}

Work work_per_token(const GptConfig& c) {
    const double C = double(c.channels), L = double(c.layers), T = double(c.context);
    const double block = 4 * C * C + 2 * C * double(c.width());
    return {L * block + C * double(c.vocabulary), 2 * L * C * (T + 1)};
}

double attention_pattern(const GptConfig& c, Index T) {
    return double(c.layers) * double(c.heads) * double(T) * double(T);
}

}  // namespace zhuyi
