// From the loss back to W_Q, W_K, W_V and the embedding: the gradients of a real training step on
// one text, along one position and one head, and what AdamW makes of two of them.
#pragma once
#include "explain/worked_forward.h"
#include "explain/worked_update.h"

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
        Index layer;      // -1: embedding
        double gradient;  // length of ∂loss/∂x at the query
    };
    // dE[token of the query] is a sum: every position that holds the token hands in its dx, and a
    // tied output layer adds its own part.
    struct EmbeddingGradient {
        std::vector<Index> positions;
        Grid from_positions;  // (positions, C)
        Numbers from_output;  // (C): empty when the head is not tied
        Numbers sum;          // (C): the tape's
    };
    struct Check {                // a training step on a copy
        double loss, loss_after;  // of the step's pass; of the new weights
        Index numbers;            // gradients compared
        Index different;          // of them, in any bit
        Real W_Q, E;              // the two weights behind the step
        bool same;                // gradients, loss and both weights: every bit
    };

    WorkedForward forward;
    std::vector<Prediction> predictions;  // (T)
    double loss = 0;                      // their mean
    std::vector<LogitGradient> logits;    // at the query, the largest first
    Numbers d_final_norm;                 // (C) at the query
    std::vector<Stage> stages;            // from the last block down to the embedding
    Numbers d_output;                     // (C): of attention.output at the query
    Grid W_O;                             // (d_k, C): the head's rows
    Numbers d_mix;                        // (d_k): of this head's mix at the query
    Numbers d_weights, d_scores;          // (T) at the query; scores are the scaled ones
    Grid d_Q, d_K, d_V;                   // (T, d_k)
    Grid dW_Q, dW_K, dW_V;                // (C, d_k): this head's columns
    Grid dW_O;                            // (d_k, C)
    Numbers d_norm_1, d_input;            // (C) at the query: of X, and of x below the LayerNorm
    Numbers d_embedding;                  // (C) at the query: of E[token] + P[position]
    EmbeddingGradient dE;
    double gradient_norm = 0, clip = 0;  // of all parameters; the longest allowed
    Numbers entry_x, entry_dQ;           // (T): dW_Q[i, j] = Σ_t X[t, i] dQ[t, j]
    WorkedUpdate W_Q, E;
    Check check{};
};

// A training that can go on: parameters with moments, `step` updates done, dropout 0 in its model.
struct WorkedTraining {
    WorkedModel model;
    const TrainConfig& config;
    Index step;
};

// ids, targets: T tokens each. The loss is the mean over all T predictions, as in training.
WorkedBackward worked_backward(const WorkedTraining& training, std::span<const Token> ids,
                               std::span<const Token> targets, WorkedPlace place);

// Values and moments of another table of the same shape.
void copy_training_state(Parameters& to, Parameters& from);

}  // namespace zhuyi
