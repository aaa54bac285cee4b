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
#include "train/config.h"
#include "train/optimizer.h"

namespace zhuyi {

class AdamW : public Rule {
  public:
    explicit AdamW(const TrainConfig& config) : config_(config) {}
    const char* name() const override { return "AdamW"; }
    bool takes(const Parameter&) const override { return true; }
    std::vector<std::string> remembers() const override { return {"adam.m", "adam.v"}; }
    void update(std::span<const RowUpdate> rows, const UpdateStep& step) override;

    // The numbers of one update of a row, as the kernel wants them.
    static AdamWStep numbers(const TrainConfig& config, const Parameter& row,
                             const UpdateStep& step);

  private:
    const TrainConfig config_;
};

}  // namespace zhuyi
