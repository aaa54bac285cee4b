// From the loss back to W_Q, W_K, W_V and the embedding: the gradients of a real training step on
// one text, along one position and one head, and what the optimizer makes of two of them.
#pragma once
#include "explain/attention_backward.h"
#include "explain/forward.h"
#include "explain/update.h"

namespace zhuyi {

struct WorkedBackward {
    struct Prediction {
        std::string target;
        double probability, loss;  // p(target), -ln p(target)
    };
    struct LogitGradient {
        std::string token;
        double probability, onehot, gradient;  // gradient = (p - onehot) / T
    };
    struct Stage {
        enum class Place { embedding, attention, feed_forward } place;
        Index block;      // -1: embedding
        double gradient;  // norm of ∂loss/∂x at the query
    };
    // dE[token of the query] is a sum: every position that holds the token adds its dx, and a
    // tied output layer adds its own part.
    struct EmbeddingGradient {
        std::vector<Index> positions;
        Grid from_positions;  // (positions, C)
        Numbers from_output;  // (C): empty when the output is not tied
        Numbers sum;          // (C): the tape's
    };

    WorkedForward forward;
    std::vector<Prediction> predictions{};  // (T)
    double loss = 0;                        // their mean
    std::vector<LogitGradient> logits{};    // at the query, the largest first
    Numbers d_final_norm{};                 // (C) at the query
    std::vector<Stage> stages{};            // from the last block down to the embedding
    WorkedAttentionBackward attention{};
    Numbers d_norm_1{}, d_input{};  // (C) at the query: of X, and of x below the LayerNorm
    Numbers d_embedding{};          // (C) at the query: of E[token] + P[position]
    EmbeddingGradient dE{};
    WorkedUpdates updates{};
};

// ids, targets: T tokens each. The loss is the mean over all T predictions, as in training.
WorkedBackward worked_backward(const WorkedTraining& training, std::span<const Token> ids,
                               std::span<const Token> targets, Focus focus);
// Continues a sheet that write_forward began.
void write_backward(Sheet& sheet, const WorkedBackward& backward);

}  // namespace zhuyi
