#include "text/batches.h"

#include <algorithm>

#include "base/check.h"
#include "base/random.h"
#include "text/tokenized.h"

namespace zhuyi {

void check_length(const TokenizedText& text, Index context) {
    const Index train = std::ssize(text.train), validation = std::ssize(text.validation);
    if (train < 2 || validation < 2)
        fail(
            {"the text is too short: %td tokens to learn from and %td for validation, expected two "
             "of each at the least; give more text",
             "文本太短：训练集有 %td 个 token，验证集有 %td 个，两者至少各要两个；请给更长的文本"},
            train, validation);
    if (train < context + 1)
        fail({"the text is too short: a window of context = %td needs %td tokens, the training "
              "part has %td; give more text, or --context=%td at most",
              "文本太短：context = %td 的一段需要 %td 个 token，训练集只有 %td "
              "个；请给更长的文本，"
              "或用不大于 --context=%td 的上下文长度"},
             context, context + 1, train, train - 1);
}

void draw_batch(std::span<Token> inputs, std::span<Token> targets, std::span<const Token> tokens,
                Index T, std::uint64_t seed, std::uint64_t step, std::uint64_t pass) {
    const Random random(seed, Stream::batches, step, pass);
    const Index beginnings = std::ssize(tokens) - T;
    require(beginnings > 0, "a batch needs more tokens than a window has positions");
    for (Index b = 0; b < std::ssize(inputs) / T; ++b) {
        const auto window = tokens.begin() + random.below(beginnings, b);
        std::copy_n(window, T, inputs.begin() + b * T);
        std::copy_n(window + 1, T, targets.begin() + b * T);
    }
}

std::vector<Window> windows(Index tokens, Index T) {
    std::vector<Window> all;
    for (Index begin = 0; begin + 1 < tokens; begin += T)
        all.push_back({begin, std::min(T, tokens - 1 - begin)});
    return all;
}

}  // namespace zhuyi
