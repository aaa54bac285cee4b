// One text through a model, with every number that leads to one position's output, through one head
// of one block.
#pragma once
#include <optional>

#include "attention/neighbors.h"
#include "explain/attention.h"

namespace zhuyi {

struct WorkedNorm {
    Numbers x;
    double mean = 0, variance = 0, rstd = 0;
    Numbers normalised;  // (x - mean) rstd, computed here
    Numbers gamma, beta;
    Numbers y;  // what the op gave
};

// One residual addition, seen from one position.
struct WorkedMove {
    Index block;
    bool attention;                              // otherwise the FFN
    double moved;                                // ‖Δx‖
    double length_before, length_after, cosine;  // of x before with x after
    std::vector<Neighbour> before, after;        // nearest rows of the token embedding
};

struct WorkedPrediction {
    Token token;
    std::string name;
    double logit, probability;
};

// How far training has moved the query token's row of the embedding.
struct TrainedRow {
    Index step;     // of the checkpoint
    double moved;   // ‖E[token] now - E[token] at step 0‖
    double cosine;  // between the two
};

struct WorkedForward : WorkedText {
    using WorkedText::WorkedText;

    // at the query
    Numbers token_row, position_row, embedding;
    // into block `layer`
    WorkedNorm norm_1;
    WorkedAttention attention;
    Numbers residual_1;
    // the FFN, at the query
    WorkedNorm norm_2;
    Numbers hidden, gelu, ffn_output, residual_2;
    // the whole stack, at the query
    std::vector<WorkedMove> moves;  // 2 L
    WorkedNorm final_norm;
    std::vector<WorkedPrediction> predictions;  // the ten likeliest, in falling order
    double others = 0;                          // what all further tokens share
    std::optional<TrainedRow> trained;          // filled in by run/worked_sheets.cpp
};

WorkedForward worked_forward(const WorkedModel& model, std::span<const Token> ids, Focus focus);
// The same from a pass that was recorded already.
WorkedForward worked_forward(const WorkedModel& model, std::span<const Token> ids, Focus focus,
                             const WorkedPass& pass);
void write_forward(Sheet& sheet, const WorkedForward& forward, const Tokenizer& tokenizer);

// Of x through the norm of this name ("final_norm"); y: what the op gave for it.
WorkedNorm worked_norm(const WorkedModel& model, const std::string& name, Numbers x, Numbers y);

// The `count` likeliest next tokens at one position.
std::vector<WorkedPrediction> likeliest(const WorkedModel& model, std::span<const double> logits,
                                        Index count);

}  // namespace zhuyi
