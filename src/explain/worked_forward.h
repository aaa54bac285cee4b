// One text through the model in front of you, with every number on the way of one position through
// one head of one block.
#pragma once
#include <string>
#include <vector>

#include "attention/neighbors.h"
#include "explain/worked_head.h"
#include "explain/worked_pass.h"

namespace zhuyi {

struct WorkedPlace {
    Index layer = 0, head = 0;
    Index query = -1;  // position in the text; -1: the last
};

// A model as the sheet needs it: with its table and its words.
struct WorkedModel {
    Gpt& model;
    Parameters& parameters;
    const Tokenizer& tokenizer;

    Grid parameter(const std::string& name) const;
    Numbers bias(const std::string& name) const { return parameter(name).values; }
    std::vector<Token> met_in_training() const;  // tokens that can be anybody's neighbour
};

struct WorkedNorm {
    Numbers x;
    double mean = 0, variance = 0, rstd = 0;
    Numbers normalised;  // (x - mean) rstd, computed here
    Numbers gamma, beta;
    Numbers y;  // what the op gave
};

// One residual addition, seen from one position.
struct WorkedMove {
    Index layer;
    bool attention;                              // otherwise the feed-forward layer
    double moved;                                // ‖Δx‖
    double length_before, length_after, cosine;  // of x before with x after
    std::vector<Neighbour> before, after;        // nearest rows of the token embedding
};

struct WorkedPrediction {
    Token token;
    std::string name;
    double logit, probability;
};

struct WorkedForward {
    GptConfig config;
    WorkedPlace place;  // query resolved
    std::vector<Token> ids;
    std::vector<std::string> tokens;  // T names

    // at the query
    Numbers token_row, position_row, embedding;
    // into block `layer`
    WorkedNorm norm_1;
    Grid norm_1_rows;       // (T, C): what W_Q, W_K and W_V are applied to
    Grid W_Q, W_K, W_V;     // (C, d_k): this head's columns
    Numbers b_Q, b_K, b_V;  // (d_k)
    WorkedHead attention;
    Grid similarity;   // (T, T): norm_1 · norm_1ᵀ, X · Xᵀ of the course
    Numbers unscaled;  // (query + 1): the softmax of the query's row without ÷ √d_k
    // the heads together, at the query
    Numbers concatenation;  // (C)
    Grid head_parts;        // (H, C): mix_h · W_O[h]
    Numbers b_O, attention_output, residual_1;
    // the feed-forward layer, at the query
    WorkedNorm norm_2;
    Numbers hidden, gelu, ffn_output, residual_2;
    // the whole stack, at the query
    std::vector<WorkedMove> moves;  // 2 L
    WorkedNorm final_norm;
    std::vector<WorkedPrediction> predictions;  // the ten likeliest, in falling order
    double others = 0;                          // what all further tokens share

    std::string query_token() const { return tokens[std::size_t(place.query)]; }
    bool sees(Index s) const { return s <= place.query; }
};

// Throws UsageError for a layer, head or query that is not there, and says which are.
WorkedForward worked_forward(const WorkedModel& model, std::span<const Token> ids,
                             WorkedPlace place);
// The same from a pass that was recorded already.
WorkedForward worked_forward(const WorkedModel& model, std::span<const Token> ids,
                             WorkedPlace place, const WorkedPass& pass);
void check_place(const GptConfig& config, Index T, WorkedPlace& place);

// Rows of E (V, C) that point most nearly as x does, of these candidates.
std::vector<Neighbour> nearest_to(std::span<const double> x, const Tensor& E,
                                  std::span<const Token> candidates, Index count);

// What each head of a block adds to the residual stream at one position: mix_h · W_O[h], (H, C).
Grid head_parts(const WorkedModel& model, const WorkedPass& pass, Index layer, Index position);

// The `count` likeliest next tokens behind one position.
std::vector<WorkedPrediction> likeliest(const WorkedModel& model, std::span<const double> logits,
                                        Index count);

}  // namespace zhuyi
