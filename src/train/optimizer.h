// Gradients -> weights: clipping by the global norm, then the optimizer's rule for each row of the
// parameter table. An optimizer owns what it remembers from step to step, and names it for the
// checkpoint. The only rule today is AdamW (train/adamw.h). Another one is one more class; the
// three functions at the end choose it (src/README.md, "An optimizer").
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

    // Changes every row that is not frozen, from the gradients in Parameters::grad.
    void update(Parameters& parameters, const UpdateStep& step);

    // Asks for the sizes of the next update. Costs memory for a copy of the largest row, and
    // reading all weights once more.
    void measure_next_update() { measure_ = true; }
    // Of the last update that was measured, one for each row; empty before the first.
    const std::vector<UpdateSize>& measured_update() const { return sizes_; }

    // What the optimizer remembers of a row: arrays as long as the row, each with its name in a
    // checkpoint ("adam.m.block.0.ffn.W_1"). None for a frozen row.
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

// For parameters with this table. What it remembers is zero: no step was made.
std::unique_ptr<Optimizer> make_optimizer(const std::vector<Parameter>& table,
                                          const TrainConfig& config);

// The same without making an optimizer, for models that fit no machine: the names of what it would
// remember of a row, and how many numbers it would hold in memory, padding included.
std::vector<std::string> optimizer_state_names(const Parameter& row);
Index optimizer_state_length(const std::vector<Parameter>& table);

}  // namespace zhuyi
