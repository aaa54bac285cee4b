// Windows of a text: a training step sees some of them, an evaluation all of them.
//
// A window of T positions needs T + 1 tokens: the target at position t is the input at t + 1.
//
//     tokens    猫 吃 鱼 。        inputs  猫 吃 鱼
//                                targets 吃 鱼 。
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/real.h"

namespace zhuyi {

struct TokenizedText;

// Throws Error when a part is too short: training needs context + 1 tokens, validation 2.
void check_length(const TokenizedText& text, Index context);

// Fills B windows of T positions, row-major (B, T); B · T = inputs.size() = targets.size(). Each
// window begins at a random position, uniform over all from which T + 1 tokens follow; needs
// tokens.size() > T, else Error. `step`: updates done; `pass`: which pass of the step, from
// 0. The result depends on the arguments only: to go on, a training remembers just its step.
void draw_batch(std::span<Token> inputs, std::span<Token> targets, std::span<const Token> tokens,
                Index T, std::uint64_t seed, std::uint64_t step, std::uint64_t pass = 0);

struct Window {
    Index begin, length;  // inputs [begin, begin + length), targets one further
};

// The windows of a text of so many tokens, one after the other from the front: every token but the
// first is predicted exactly once. All windows have T positions; only the last may have fewer. A
// text of fewer than two tokens has no window.
std::vector<Window> windows(Index tokens, Index T);

}  // namespace zhuyi
