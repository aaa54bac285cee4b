// The end of `explain --backward`: the update of two weights by AdamW or Muon, number by number,
// compared with the trainer's own step.
#pragma once
#include <string>
#include <variant>

#include "explain/directions.h"
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

// One number of a parameter.
struct WorkedEntry {
    std::string parameter;  // "block.0.attention.W_Q"
    Index row = 0, column = 0;
};

// What AdamW computes between a weight and its new value (train/optimizer.h).
struct WorkedAdamW {
    double beta1 = 0, beta2 = 0, epsilon = 0;
    Real m = 0, v = 0;              // before
    Real new_m = 0, new_v = 0;      // after
    double left_1 = 1, left_2 = 1;  // 1 - beta^step
    double m_hat = 0, v_hat = 0;    // without the bias towards their start at 0
};

// And Muon (train/muon.cpp), whose step of one weight depends on the whole matrix.
struct WorkedMuon {
    double momentum = 0;
    Real m = 0, new_m = 0, u = 0, O = 0;
    double scale = 0;                     // 0.2 √max(in, out)
    std::vector<Direction> directions{};  // of u, the whole matrix; other: of O
};

struct WorkedUpdate : WorkedEntry {
    Shape shape{};        // of the parameter
    bool frozen = false;  // then nothing below moves
    Real value = 0;       // before
    double raw = 0;       // the gradient as backward left it
    double g = 0;         // raw · scale of clipping
    double learning_rate = 0, decay = 0;
    Index step = 0;  // of this update, from 1
    std::variant<WorkedAdamW, WorkedMuon> rule{};
    double pull = 0;                 // learning_rate · decay · value
    double push = 0;                 // learning_rate · what the rule makes of the gradient
    Real new_value = 0;              // value - pull - push, rounded as the optimizer rounds
    std::vector<Real> new_values{};  // of the whole parameter
};

struct WorkedUpdates {
    struct Compared {
        Index numbers = 0, different = 0;  // different: in any bit
    };
    struct Check {                // a training step on a copy
        double loss, loss_after;  // of the step's pass; of the new weights
        Compared gradients;
        Real W_Q, E;       // the two weights after the step
        Compared weights;  // all of W_Q and of E
    };
    double gradient_norm = 0, clip = 0, scale = 1;  // of all parameters; the longest allowed
    WorkedUpdate W_Q, E;
    bool over = false;  // WorkedTraining::over
    Check check{};
};

// The update that training would make of one entry, from the gradients and moments that stand in
// the parameters, which stay as they are. gradient_norm: of all of them, for clipping.
WorkedUpdate worked_update(const WorkedTraining& training, const WorkedEntry& entry,
                           double gradient_norm);

// batch: what the gradients that stand in the parameters come from.
WorkedUpdates worked_updates(const WorkedTraining& training, const Batch& batch,
                             const WorkedEntry& W_Q, const WorkedEntry& E);

}  // namespace zhuyi
