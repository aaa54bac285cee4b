// From the loss back to W_Q, W_K, W_V and the embedding: the gradients of a real training step on
// one text, along one position and one head, and what the optimizer makes of two of them.
#pragma once
#include "explain/pass.h"
#include "train/update.h"

namespace zhuyi {

class Optimizer;
struct TrainConfig;

// A training that can go on: its optimizer, `step` updates done, dropout 0 in its model.
struct WorkedTraining {
    WorkedModel model;
    Optimizer& optimizer;
    const TrainConfig& config;
    Index step;
    bool over = false;  // the run's own rate would be 0 now: `config` has another one

    Precision precision() const;
};

// A text read forward and backward, as a training step reads it. The gradients of the parameters
// stand in training.model.parameters, which keep their values.
struct TrainedReading : Reading {
    List<Token> targets;
    Numbers losses{};  // (T): -ln p(target)
    double loss = 0;   // their mean, as in training

    // ids, targets_: T tokens each.
    TrainedReading(const WorkedTraining& training, std::span<const Token> ids,
                   std::span<const Token> targets_, Focus focus);
};

// Continues a sheet that write_forward began. The sections are loss, d_logits, d_residual, d_output,
// d_weights, d_projections, d_weights_in, d_embedding, muon (with that optimizer), adamw, check.
void write_backward(Sheet& sheet, const WorkedTraining& training, const TrainedReading& reading);

// ---- the update (update.cpp)

// One number of a parameter.
struct Weight {
    std::string parameter;  // "block.0.attention.W_Q"
    Index row, column;
    std::string name;  // "W_Q[0,5]"
};

// Writes the update that training would make of one weight, from the gradients and moments that
// stand in the parameters and the optimizer, which stay as they are: a table "adamw" or "muon".
// gradient_norm: of all parameters, for clipping. Returns the new values of the whole parameter.
std::vector<Real> write_weight(Sheet& sheet, const WorkedTraining& training, const Weight& weight,
                               double gradient_norm);
// The sections muon, adamw and check: two weights, and the trainer's own step on a copy. loss: of
// the reading.
void write_updates(Sheet& sheet, const WorkedTraining& training, const TrainedReading& reading,
                   const Weight& W_Q, const Weight& E);

}  // namespace zhuyi
