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
#include <algorithm>
#include <cmath>

#include "base/arena.h"
#include "base/parallel.h"
#include "kernels/kernels.h"
#include "train/config.h"
#include "train/optimizer.h"

namespace zhuyi {

double muon_scale(const Parameter& row) {
    return 0.2 * std::sqrt(double(std::max(row.shape.rows(), row.shape.columns())));
}

namespace {

class Muon : public Rule {
  public:
    explicit Muon(const TrainConfig& config) : config_(config) {}
    const char* name() const override { return "Muon"; }
    bool takes(const Parameter& row) const override { return row.block_matrix; }
    std::vector<std::string> remembers() const override { return {"muon.m"}; }
    void update(std::span<const RowUpdate> rows, const UpdateStep& step) override;

  private:
    const TrainConfig config_;
    Workspace workspace_;
    std::vector<const RowUpdate*> order_;  // the largest first
};

// One matrix is the work of one thread. The largest come first, so that none is left for the end.
void Muon::update(std::span<const RowUpdate> rows, const UpdateStep& step) {
    const Kernels& k = kernels();
    const auto size = [](const RowUpdate* r) { return r->row.shape.size(); };
    const auto room = [&](const RowUpdate* r) {  // for u, then O in its place, and orthogonalise()
        return size(r) + k.orthogonalise_numbers(r->row.shape.rows(), r->row.shape.columns());
    };
    Index most = 0;
    order_.clear();
    for (const RowUpdate& u : rows) order_.push_back(&u), most = std::max(most, room(&u));
    std::ranges::sort(order_, std::greater(), size);
    // asked for here, where running out of memory may be said
    for (int thread = 0; thread < thread_count(); ++thread) workspace_.local(thread, most);

    parallel_for(std::ssize(order_), kWorthAThread, [&](Index i) {
        const RowUpdate& u = *order_[std::size_t(i)];
        const Index count = size(&u);
        Real* direction = workspace_.local(thread_number(), most);
        k.momentum(direction, u.state[0].data(), u.gradient.data(), count, config_.momentum,
                   step.gradient_scale);
        k.orthogonalise(direction, direction, u.row.shape.rows(), u.row.shape.columns(),
                        direction + count);
        const double decay = u.row.decay ? config_.weight_decay : 0;
        k.descend(u.value.data(), direction, count, 1 - step.learning_rate * decay,
                  step.learning_rate * muon_scale(u.row));
    });
}

}  // namespace

std::unique_ptr<Rule> make_muon(const TrainConfig& config) {
    return std::make_unique<Muon>(config);
}

}  // namespace zhuyi
