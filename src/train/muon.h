// Muon (Jordan 2024), for the matrices inside blocks: W_Q, W_K, W_V, W_O, W_1, W_2, each by itself.
//
//     g  = scale · gradient
//     m  = μ m + (1 - μ) g                    moving mean of the gradient
//     u  = μ m + (1 - μ) g                    one step further along it (Nesterov)
//     O  = about U Vᵀ,  where u = U Σ Vᵀ      every direction gets nearly an equal say
//     w  = w - η λ w - η · 0.2 √max(in, out) · O
//
// A gradient has few strong directions and many weak ones; O moves the weights as far along each.
// (kernels/orthogonal.h finds it, and says between which sizes.) The entries of O have root mean
// square 1 / √max(in, out), so the update has root mean square 0.2 η, about that of AdamW's steps
// (Liu et al., arXiv 2502.16982, section 2.2): one learning rate serves both rules.
//
// Only m is remembered: one number for each weight, where AdamW needs two.
#pragma once
#include "base/workspace.h"
#include "train/config.h"
#include "train/optimizer.h"

namespace zhuyi {

class Muon : public Rule {
  public:
    explicit Muon(const TrainConfig& config) : config_(config) {}
    const char* name() const override { return "Muon"; }
    bool takes(const Parameter& row) const override { return row.block_matrix; }
    std::vector<std::string> remembers() const override { return {"muon.m"}; }
    void update(std::span<const RowUpdate> rows, const UpdateStep& step) override;

    // What O is multiplied with, η apart: 0.2 √max(in, out).
    static double scale(const Parameter& row);

  private:
    const TrainConfig config_;
    Workspace workspace_;
    std::vector<const RowUpdate*> order_;  // the largest first
};

}  // namespace zhuyi
