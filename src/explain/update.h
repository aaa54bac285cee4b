// The end of `explain --backward`: AdamW's update of two weights, number by number, compared with
// the trainer's own step.
#pragma once
#include <string>

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
};

// One number of a parameter.
struct WorkedEntry {
    std::string parameter;  // "block.0.attention.W_Q"
    Index row = 0, column = 0;
};

struct WorkedUpdate : WorkedEntry {
    bool frozen = false;           // then nothing below moves
    Real value = 0, m = 0, v = 0;  // before
    double raw = 0;                // the gradient as backward left it
    double scale = 1;              // of clipping
    double g = 0;                  // raw · scale
    double learning_rate = 0, decay = 0, epsilon = 0, beta1 = 0, beta2 = 0;
    Index step = 0;  // of this update, from 1
    Real new_m = 0, new_v = 0;
    double left_1 = 1, left_2 = 1;  // 1 - beta^step
    double m_hat = 0, v_hat = 0;    // without the bias towards their start at 0
    double pull = 0;                // learning_rate · decay · value
    double push = 0;                // learning_rate · m_hat / (√v_hat + epsilon)
    Real new_value = 0;             // value - pull - push, rounded as the optimizer rounds
};

struct WorkedUpdates {
    struct Check {                // a training step on a copy
        double loss, loss_after;  // of the step's pass; of the new weights
        Index numbers;            // gradients compared
        Index different;          // of them, in any bit
        Real W_Q, E;              // the two weights after the step
    };
    double gradient_norm = 0, clip = 0;  // of all parameters; the longest allowed
    WorkedUpdate W_Q, E;
    Check check{};
};

// The update that training would make of one entry, from the gradients and moments that stand in
// the parameters, which stay as they are. gradient_norm: of all of them, for clipping.
WorkedUpdate worked_update(const WorkedTraining& training, const WorkedEntry& entry,
                           double gradient_norm);

// batch: what the gradients that stand in the parameters come from.
WorkedUpdates worked_updates(const WorkedTraining& training, const Batch& batch,
                             const WorkedEntry& W_Q, const WorkedEntry& E);
// loss: as the sheet found it. token: whose row of E it is.
void write_updates(Sheet& sheet, const WorkedUpdates& updates, double loss,
                   const std::string& token);

}  // namespace zhuyi
