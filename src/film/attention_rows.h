// Keeps the attention of a pass: the weights on and below the diagonal of each map, block after
// block, head after head, row after row; row t has t + 1 of them.
#pragma once
#include <vector>

#include "autograd/tape.h"
#include "autograd/watching.h"

namespace zhuyi {

class AttentionRows : public Watcher {
  public:
    explicit AttentionRows(std::vector<double>& weights) : weights_(weights) {}
    bool wants(std::string_view name) const override {
        return name.ends_with(".attention.weights");
    }
    void value(std::string_view, const Tensor& weights) override {  // (1, H, T, T)
        const Index T = weights.shape[2];
        for (Index row = 0; row < weights.rows(); ++row)
            for (Index s = 0; s <= row % T; ++s)
                weights_.push_back(double(weights.value[row * T + s]));
    }

  private:
    std::vector<double>& weights_;
};

}  // namespace zhuyi
