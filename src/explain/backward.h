// From the loss back to W_Q, W_K, W_V and the embedding: the gradients of a real training step on
// one text, along one position and one head, and what the optimizer makes of two of them.
#pragma once
#include "explain/pass.h"
#include "train/update.h"

namespace zhuyi {

class Optimizer;
struct TrainConfig;

// A training that can go on: its optimizer has made `step` updates; its model drops nothing.
struct WorkedTraining {
    WorkedModel model;
    Optimizer& optimizer;
    const TrainConfig& config;
    Index step;
    bool over = false;  // the run's own learning rate is 0 by now, so `config` has another one
};

// A text read forward and backward, as a training step reads it. Afterwards the gradients stand in
// training.model.parameters; the values are as they were.
struct TrainedReading : Reading {
    List<Token> targets;
    Numbers losses{};  // (T): -ln p(target)
    double loss = 0;   // their mean, as in training

    // ids, targets_: T tokens each.
    TrainedReading(const WorkedTraining& training, std::span<const Token> ids,
                   std::span<const Token> targets_, Focus focus);
};

// Continues a sheet that write_forward began. The sections are loss, d_logits, d_residual,
// d_output, d_weights, d_projections, d_weights_in, d_embedding, muon (with that optimizer), adamw,
// check.
void write_backward(Sheet& sheet, const WorkedTraining& training, const TrainedReading& reading);

// ---- the update (update.cpp)

// One number of a parameter.
struct Weight {
    std::string parameter;  // "block.0.attention.W_Q"
    Index row, column;
    std::string name;  // "W_Q[0,5]"
};

// Writes the update that training would make of one weight, as a table "adamw" or "muon", from the
// gradients of the parameters and the moments of the optimizer; both stay as they are.
// `gradient_norm` is that of all parameters, for clipping. Returns the new values of the whole
// parameter.
std::vector<Real> write_weight(Sheet& sheet, const WorkedTraining& training, const Weight& weight,
                               double gradient_norm);
// Writes the sections muon (with that optimizer), adamw and check: the updates of two weights, and
// the trainer's own step on a copy.
void write_updates(Sheet& sheet, const WorkedTraining& training, const TrainedReading& reading,
                   const Weight& W_Q, const Weight& E);

}  // namespace zhuyi
