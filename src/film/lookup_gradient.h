// The gradient of a token embedding has two parts.
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "autograd/watching.h"
#include "base/tensor.h"

namespace zhuyi {

// If the output layer shares E, the gradient of E is a sum of two parts: from the lookup, and from
// the output layer. This watcher sums the first part, row by row, from the gradient of the tensor
// "embedding"; the second part is the whole minus the first.
class LookupGradient : public Watcher {
  public:
    LookupGradient(const std::vector<Index>& place_of, std::size_t watched, Index C)
        : place_of_(place_of), C_(C), sums_(watched * std::size_t(C)) {}

    void clear() { std::fill(sums_.begin(), sums_.end(), 0.0); }
    void read(std::span<const Token> ids) { ids_ = ids; }
    bool wants(std::string_view name) const override { return name == "embedding"; }
    void value(std::string_view, const Tensor&) override {}
    void gradient(std::string_view, const Tensor&, In dx) override {  // (B, T, C)
        for (std::size_t row = 0; row < ids_.size(); ++row) {
            const Index place = place_of_[std::size_t(ids_[row])];
            if (place < 0) continue;
            for (Index c = 0; c < C_; ++c)
                sums_[std::size_t(place * C_ + c)] +=
                    double(dx[row * std::size_t(C_) + std::size_t(c)]);
        }
    }
    double at(std::size_t place, std::size_t c) const { return sums_[place * std::size_t(C_) + c]; }

  private:
    const std::vector<Index>& place_of_;
    const Index C_;
    std::span<const Token> ids_;
    std::vector<double> sums_;  // (watched, C)
};

}  // namespace zhuyi
