// Windows of a text: what a training step sees, and what a validation covers.
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
// window begins at a position drawn uniformly from all that leave room for it; tokens.size() > T. A
// pure function of its arguments: a training that stops and goes on needs to remember the number of
// its step only.
void draw_batch(std::span<Token> inputs, std::span<Token> targets, std::span<const Token> tokens,
                Index T, std::uint64_t seed, std::uint64_t step, std::uint64_t micro_step = 0);

struct Window {
    Index begin, length;  // inputs [begin, begin + length), targets one further
};

// One after the other from the front: every token but the first is predicted exactly once. All
// windows have T positions, except that the last may have fewer. No window for fewer than two
// tokens.
std::vector<Window> windows(Index tokens, Index T);

}  // namespace zhuyi
