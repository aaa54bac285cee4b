// One weight through AdamW, number by number.
#pragma once
#include <string>

#include "model/parameters.h"
#include "train/config.h"

namespace zhuyi {

struct WorkedUpdate {
    std::string parameter;  // "block.0.attention.W_Q"
    Index row = 0, column = 0;
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

// The update that training would make of element (row, column), from the gradients and moments
// that stand in `parameters`, which stay as they are. gradient_norm: of all of them, for clipping.
WorkedUpdate worked_update(Parameters& parameters, const std::string& name, Index row, Index column,
                           const TrainConfig& config, double gradient_norm, Index step);

}  // namespace zhuyi
