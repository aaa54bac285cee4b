// AdamW (Loshchilov and Hutter, arXiv 1711.05101), the rule of GPT-2 and most models since:
//
//     g  = scale · gradient
//     m  = β1 m + (1 - β1) g                  moving mean of the gradient
//     v  = β2 v + (1 - β2) g²                 moving mean of its square
//     m̂  = m / (1 - β1^step),  v̂ = v / (1 - β2^step)       m and v start at 0; this corrects it
//     w  = w - η λ w - η m̂ / (√v̂ + ε)
//
// The weight decay λ acts on rows of the table with `decay`; for others λ = 0. Only
// kernels/elementwise.h computes the formula (and kernels/reference.cpp, for tests).
#pragma once
#include "kernels/kernels.h"
#include "train/optimizer.h"

namespace zhuyi {

class AdamW : public Optimizer {
  public:
    AdamW(const std::vector<Parameter>& table, const TrainConfig& config);
    const char* name() const override { return "AdamW"; }
    std::vector<State> state_of(const Parameter& row) override;
    static std::vector<std::string> state_names(const Parameter& row);  // m, then v
    static Index state_length(const std::vector<Parameter>& table) {
        return 2 * buffer_length(table);
    }

    // The numbers of one update of a row, as the kernel wants them.
    static AdamWStep numbers(const TrainConfig& config, const Parameter& row,
                             const UpdateStep& step);

  protected:
    void update_row(Parameters& parameters, const Parameter& row, const UpdateStep& step) override;

  private:
    Out slice(const AlignedBytes& buffer, const Parameter& row) const;

    const TrainConfig config_;
    AlignedBytes m_, v_;  // laid out like Parameters::values()
};

}  // namespace zhuyi
