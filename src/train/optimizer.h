// Gradients -> weights: clipping by the global norm, then AdamW.
#pragma once
#include "base/workspace.h"
#include "model/parameters.h"
#include "train/config.h"

namespace zhuyi {

// Length of the gradient of all parameters that are not frozen, taken as one vector.
double gradient_norm(Parameters& parameters, Workspace& workspace);

// What to multiply the gradient by so that it is no longer than `clip` (Pascanu et al. 2013); 1
// when it is short enough or clip is 0.
double clip_scale(double norm, double clip);

// Update number `step` (from 1) of every parameter that is not frozen. Decoupled decay acts on rows
// of the table that ask for it.
void adamw(Parameters& parameters, const TrainConfig& config, double learning_rate,
           double gradient_scale, Index step);

}  // namespace zhuyi
