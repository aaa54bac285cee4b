// Sheets of a model that reads: one text with every number that leads to one position's output,
// through one head of one block; why it predicts what it predicts there; one character in two
// texts.
#pragma once
#include "explain/pass.h"

namespace zhuyi {

// Writes every number of a reading. `start` is the row of E of the query's token at step 0 (C),
// empty if it is not known; `step` is the model's. The sections are tokens, embedding, norm_1,
// those of write_attention, residual, feed_forward, stack, prediction.
void write_forward(Sheet& sheet, const Reading& reading, const Numbers& start = {}, Index step = 0);

// Writes the way from Q, K, V to what the heads add to the vector (attention.cpp). The sections are
// projections, rotation (with rotary positions), similarity, scores, softmax, mix, concatenation,
// output.
void write_attention(Sheet& sheet, const Reading& reading);

// Says why the model predicts `answer` after focus.query: the effect of each earlier character,
// what the model would say after each block, and what each part adds to the answer's logit
// (why.cpp; film/page/why.js shows the same). `ids` is the whole text. If `answer` is -1, it is the
// token after focus.query, or the likeliest one at the end of the text. The sections are effects,
// lens, parts. The sheet costs 2 (query + 1) passes.
Sheet why_sheet(const WorkedModel& model, std::span<const Token> ids, Focus focus, Token answer);

// Says how the vectors of one character in two texts come to differ, block by block, and by which
// heads (compare.cpp). `query` is its position in the first text; -1 stands for the last position
// whose token the second text holds, too. In the second text the last position of this token is
// taken. Throws UsageError if the second text lacks the token, or the position does not exist. The
// sections are texts, stages and heads (instead of them same, if both texts are alike up to the
// character), predictions.
Sheet compare_sheet(const WorkedModel& model, std::span<const Token> first,
                    std::span<const Token> second, Index query);

// ---- the main path of a worked sheet (main_path.cpp): what a person looks at first, at most 45
// lines, taken from the whole sheet. Each part names the sheets where all its numbers stand.

// The main path, and the whole sheet.
struct WorkedSheets {
    Sheet path, whole;
};

// `whole` is what write_forward wrote of this text.
Sheet forward_path(const WorkedText& text, const Sheet& whole);
// `whole` is what write_forward and write_backward wrote. The path begins at the loss.
Sheet backward_path(const WorkedText& text, const Sheet& whole);

// Returns the sheets of these numbers or names: "5", "5,8-10", "scores,softmax". Throws UsageError
// if one of them does not exist.
Sheet chosen_sheets(const Sheet& whole, const std::string& numbers);

}  // namespace zhuyi
