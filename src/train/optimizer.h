// Gradients -> weights: clipping by the global norm, then the optimizer's rule for each row of the
// parameter table. An optimizer owns what it remembers from step to step, and names it for the
// checkpoint. Today's rule is AdamW (train/adamw.cpp); another one is one more file and a line in
// make_optimizer.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/workspace.h"
#include "model/parameters.h"
#include "train/config.h"

namespace zhuyi {

// Length of the gradient of all parameters that are not frozen, taken as one vector.
double gradient_norm(Parameters& parameters, Workspace& workspace);

// What to multiply the gradient by so that it is no longer than `clip` (Pascanu et al. 2013); 1
// when it is short enough or clip is 0.
double clip_scale(double norm, double clip);

struct UpdateStep {
    Index step;  // number of the update, from 1
    double learning_rate;
    double gradient_scale = 1;  // from clip_scale
};

// How far an update moved a row of the table: ‖w_after - w_before‖ and ‖w_before‖.
struct UpdateSize {
    double moved = 0, before = 0;
};

class Optimizer {
  public:
    virtual ~Optimizer() = default;
    virtual const char* name() const = 0;  // "AdamW"

    // Changes every row that is not frozen, from the gradients that stand in `parameters`.
    void update(Parameters& parameters, const UpdateStep& step);

    // Asks for the sizes of the next update; costs a copy of the largest row, and a pass over all.
    void measure_next_update() { measure_ = true; }
    // Of the last update that was measured, one for each row; empty before the first.
    const std::vector<UpdateSize>& measured_update() const { return sizes_; }

    // What it remembers of a row, each under its name in a checkpoint ("adam.m.block.0.ffn.W_1").
    // Nothing for frozen rows.
    struct State {
        std::string name;
        Out values;
    };
    virtual std::vector<State> state_of(const Parameter& row) = 0;

  protected:
    virtual void update_row(Parameters& parameters, const Parameter& row,
                            const UpdateStep& step) = 0;

  private:
    bool measure_ = false;
    std::vector<UpdateSize> sizes_;
    std::vector<Real> before_;  // of one row
};

// `parameters.table()` must be the table. Its state is zero: no step was made.
std::unique_ptr<Optimizer> make_optimizer(const std::vector<Parameter>& table,
                                          const TrainConfig& config);

// Without making an optimizer (for models that fit no machine): the names of what it remembers of a
// row, and how many numbers it holds in memory, padding included.
std::vector<std::string> optimizer_state_names(const Parameter& row);
Index optimizer_state_length(const std::vector<Parameter>& table);

}  // namespace zhuyi
