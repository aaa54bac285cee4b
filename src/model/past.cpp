#include "model/past.h"

#include <algorithm>

#include "base/check.h"
#include "model/config.h"

namespace zhuyi {

Past::Past(const GptConfig& config, Index B)
    : B_(B), C_(config.channels), capacity_(config.context) {
    const std::size_t size = std::size_t(B_ * capacity_ * C_);
    keys_.assign(std::size_t(config.layers), std::vector<Real>(size));
    values_ = keys_;
}

Past Past::repeated(Index texts) const {
    Past copy = *this;
    copy.B_ = texts;
    for (auto* stores : {&copy.keys_, &copy.values_})
        for (std::vector<Real>& store : *stores) {
            store.resize(std::size_t(texts * capacity_ * C_));
            for (Index b = 1; b < texts; ++b)
                std::copy_n(store.data(), length_ * C_, store.data() + b * capacity_ * C_);
        }
    return copy;
}

std::pair<Tensor, Tensor> Past::append(Index block, const Tensor& K, const Tensor& V) {
    const Index T = K.shape[1];
    require(length_ + T <= capacity_, {"past: the context is full", "上下文已满"});
    const auto put = [&](std::vector<Real>& store, const Tensor& x) {
        for (Index b = 0; b < B_; ++b)
            std::copy_n(x.value + b * T * C_, T * C_,
                        store.data() + (b * capacity_ + length_) * C_);
        return Tensor{store.data(), nullptr, x.tape, {B_, length_ + T, C_}};
    };
    return {put(keys_[std::size_t(block)], K), put(values_[std::size_t(block)], V)};
}

}  // namespace zhuyi
