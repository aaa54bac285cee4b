// Gradients -> weights: clipping by the global norm, then for each row of the parameter table the
// rule that takes it: AdamW for any row, Muon for the matrices inside blocks. A rule is a formula;
// what it remembers from step to step lies in the Optimizer, which names it for the checkpoint.
// Another rule is one more class, and a line in make_rules().
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/arena.h"
#include "model/parameters.h"

namespace zhuyi {

class Workspace;
struct AdamWStep;
struct TrainConfig;

// Length of the gradient of all parameters that are not frozen, taken as one vector.
double gradient_norm(Parameters& parameters, Workspace& workspace);

// The factor that makes the gradient at most `clip` long (Pascanu et al. 2013). It is 1 when the
// gradient is short enough, or clip is 0.
double clip_scale(double norm, double clip);

struct UpdateStep {
    Index step;  // number of the update, from 1
    double learning_rate;
    double gradient_scale = 1;  // from clip_scale
};

// A row of the table in an update. `state`: what the rule remembers of it from step to step, one
// array as long as the row for each name in Rule::remembers(); all 0 before the first update.
struct RowUpdate {
    const Parameter& row;
    std::vector<Out> state;
    Out value{};
    In gradient{};
};

class Rule {
  public:
    virtual ~Rule() = default;
    virtual const char* name() const = 0;  // "AdamW"
    virtual bool takes(const Parameter& row) const = 0;
    virtual std::vector<std::string> remembers() const = 0;  // {"adam.m", "adam.v"}
    // Changes value and state of each row. What becomes of a row does not depend on the others.
    virtual void update(std::span<const RowUpdate> rows, const UpdateStep& step) = 0;
};
using Rules = std::vector<std::unique_ptr<Rule>>;

// AdamW (Loshchilov and Hutter, arXiv 1711.05101), the rule of GPT-2 and most models since:
//
//     g  = scale · gradient
//     m  = β1 m + (1 - β1) g                  moving mean of the gradient
//     v  = β2 v + (1 - β2) g²                 moving mean of its square
//     m̂  = m / (1 - β1^step),  v̂ = v / (1 - β2^step)       m and v start at 0; this corrects it
//     w  = w - η λ w - η m̂ / (√v̂ + ε)
//
// The weight decay λ acts on rows of the table with `decay`; for others λ = 0. Only
// kernels/elementwise.h computes the formula (and tests/support/reference.cpp, in plain loops).
std::unique_ptr<Rule> make_adamw(const TrainConfig& config);
// The numbers of one update of a row, as the kernel wants them.
AdamWStep adamw_step(const TrainConfig& config, const Parameter& row, const UpdateStep& step);

// Muon (Jordan 2024), for the matrices inside blocks: train/muon.cpp has its formula.
std::unique_ptr<Rule> make_muon(const TrainConfig& config);
// Muon's direction O (train/muon.cpp) is multiplied with η and this: 0.2 √max(in, out).
double muon_scale(const Parameter& row);

// The order matters: a row belongs to the first rule that takes it.
Rules make_rules(const TrainConfig& config);
const Rule& rule_of(const Rules& rules, const Parameter& row);
// Under which names a checkpoint keeps what is remembered of a row ("adam.m.block.0.ffn.W_1"); a
// frozen row has none.
std::vector<std::string> state_names(const Rules& rules, const Parameter& row);
// How many numbers are remembered for a whole table.
Index state_length(const Rules& rules, const std::vector<Parameter>& table);

// How far an update moved a row of the table: ‖w_after - w_before‖ and ‖w_before‖.
struct UpdateSize {
    double moved = 0, before = 0;
};

class Optimizer {
  public:
    Optimizer(std::vector<Parameter> table, Rules rules);  // remembers nothing yet

    // Changes every row that is not frozen, from the gradients in Parameters::grad. Calls `done`
    // with the name of each rule when the rule has changed its rows.
    void update(Parameters& parameters, const UpdateStep& step,
                const std::function<void(const char* rule)>& done = {});

    // Asks for the sizes of the next update. Costs memory for a copy of the weights, and reading
    // them twice more.
    void measure_next_update() { measure_ = true; }
    // The sizes that were measured last, one for each row; empty before the first.
    const std::vector<UpdateSize>& measured_update() const { return sizes_; }

    // What is remembered of a row, under its names in a checkpoint. Empty for a frozen row.
    struct State {
        std::string name;
        Out values;
    };
    std::vector<State> state_of(const Parameter& row) const;

  private:
    struct Part {
        std::unique_ptr<Rule> rule;
        std::vector<RowUpdate> rows;
    };
    void measure(Parameters& parameters);

    const std::vector<Parameter> table_;
    AlignedBytes state_;
    std::vector<Part> parts_;
    bool measure_ = false;
    std::vector<UpdateSize> sizes_;
    std::vector<Real> before_;  // all weights
};

// For parameters with this table, with the rules of config.optimizer.
std::unique_ptr<Optimizer> make_optimizer(const std::vector<Parameter>& table,
                                          const TrainConfig& config);

}  // namespace zhuyi
