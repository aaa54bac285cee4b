// Sheets of a model that reads: one text with every number that leads to one position's output,
// through one head of one block; why it predicts what it predicts there; one character in two texts.
#pragma once
#include "explain/pass.h"

namespace zhuyi {

// start: where the row of E of the query's token stood at step 0 (C), if that is known; step: of the
// model. The sections are tokens, embedding, norm_1, those of attention, residual, feed_forward,
// stack, prediction.
void write_forward(Sheet& sheet, const Reading& reading, const Numbers& start = {}, Index step = 0);

// From Q, K, V to what the heads add to the vector: projections, rotation (with rotary positions),
// similarity, scores, softmax, mix, concatenation, output (attention.cpp).
void write_attention(Sheet& sheet, const Reading& reading);

// The effect of each earlier character, what the model would say after each block, and what each
// part adds to the answer's logit (why.cpp; film/page/why.js shows the same). ids: the whole text.
// answer: a token; -1: the token after focus.query, or at the end of the text the likeliest one. The
// sections are effects, lens, parts. Costs 2 (query + 1) passes.
Sheet why_sheet(const WorkedModel& model, std::span<const Token> ids, Focus focus, Token answer);

// How the two vectors of one character come to differ, block by block, and by which heads
// (compare.cpp). query: position in the first text; -1: its last whose token the second text holds,
// too. In the second text the last position of the same token is taken. Throws UsageError when there
// is no such position, or the second text lacks the token. The sections are texts, stages and heads
// (or same, where both texts are alike up to the character), predictions.
Sheet compare_sheet(const WorkedModel& model, std::span<const Token> first,
                    std::span<const Token> second, Index query);

}  // namespace zhuyi
