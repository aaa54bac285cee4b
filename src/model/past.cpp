#include "model/past.h"

#include <algorithm>

#include "base/check.h"
#include "model/config.h"

namespace zhuyi {
namespace {

// Whole vectors of positions, and an odd number of them: columns a power of two apart would share a
// few lines of the cache.
Index room_for(Index positions) { return (positions + 15) / 16 / 2 * 32 + 16; }

}  // namespace

Past::Past(const GptConfig& config, Index B)
    : B_(B), C_(config.channels), capacity_(config.context), room_(room_for(capacity_)) {
    const std::size_t size = std::size_t(B_ * room_ * C_);
    keys_.assign(std::size_t(config.layers), std::vector<Real>(size));
    values_ = keys_;
}

Past Past::repeated(Index texts) const {
    Past copy = *this;
    copy.B_ = texts;
    for (auto* stores : {&copy.keys_, &copy.values_})
        for (std::vector<Real>& store : *stores) {
            const Index size = room_ * C_;  // of a text
            store.resize(std::size_t(texts * size));
            for (Index b = 1; b < texts; ++b)
                std::copy_n(store.data(), size, store.data() + b * size);
        }
    return copy;
}

std::pair<Tensor, Tensor> Past::append(Index block, const Tensor& K, const Tensor& V) {
    const Index T = K.shape[1];
    require(length_ + T <= capacity_, {"past: the context is full", "上下文已满"});
    Real *keys = keys_[std::size_t(block)].data(), *values = values_[std::size_t(block)].data();
    for (Index b = 0; b < B_; ++b) {
        for (Index t = 0; t < T; ++t)
            for (Index c = 0; c < C_; ++c)
                keys[(b * C_ + c) * room_ + length_ + t] = K.value[(b * T + t) * C_ + c];
        std::copy_n(V.value + b * T * C_, T * C_, values + (b * room_ + length_) * C_);
    }
    return {{keys, nullptr, K.tape, {B_, C_, room_}},
            {values, nullptr, V.tape, {B_, length_ + T, C_}}};
}

}  // namespace zhuyi
