// Windows of a text: what a training step sees, and what a validation covers.
//
// A window of T positions needs T + 1 tokens: the target at position t is the input at position t
// + 1.
//
//     tokens    猫 吃 鱼 。        inputs  猫 吃 鱼
//                                targets 吃 鱼 。
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/real.h"
#include "text/corpus.h"

namespace zhuyi {

// Throws Error when a part is too short: training needs context + 1 tokens, validation 2.
void check_length(const TokenizedText& text, Index context);

// Fills B windows of T positions, row-major (B, T); B · T = inputs.size() = targets.size(). Each
// begins at a place drawn uniformly from all that fit. A pure function of its arguments: training
// that stops and goes on needs to remember no more than the number of the step. Needs tokens.size()
// > T.
void draw_batch(std::span<Token> inputs, std::span<Token> targets, std::span<const Token> tokens,
                Index T, std::uint64_t seed, std::uint64_t step, std::uint64_t micro_step = 0);

struct Window {
    Index begin, length;  // inputs [begin, begin + length), targets one further
};

// Side by side from the front: every token but the first is predicted exactly once. All windows are
// T long but the last, which may be shorter. None for fewer than two tokens.
std::vector<Window> windows(Index tokens, Index T);

}  // namespace zhuyi
