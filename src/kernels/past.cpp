#include "kernels/past.h"

#include <algorithm>

#include "base/check.h"

namespace zhuyi {

StripsOfWeights::StripsOfWeights(std::vector<Weights> all, Precision precision,
                                 const Kernels& table)
    : precision_(precision), all_(std::move(all)) {
    std::ranges::sort(all_, std::less(), [](const Weights& w) { return w.B.data; });
    std::size_t bytes = 0;
    for (const Weights& w : all_) bytes += table.strips_bytes(w.K, w.N, precision);
    memory_ = allocate_aligned(bytes);
    std::byte* to = memory_.get();
    for (Weights& w : all_) {
        table.lay_in_strips(to, w.B, w.K, w.N, precision);
        w.strips = to;
        to += table.strips_bytes(w.K, w.N, precision);
    }
}

const void* StripsOfWeights::find(const Gemm& g) const {
    if (g.precision != precision_) return nullptr;
    const auto w = std::ranges::lower_bound(all_, g.B.data, std::less(),
                                            [](const Weights& one) { return one.B.data; });
    const bool found = w != all_.end() && w->B.data == g.B.data && w->B.row == g.B.row &&
                       w->B.column == g.B.column && w->K == g.K && w->N == g.N;
    return found ? w->strips : nullptr;
}

const void* strips_of(const Gemm& g, const Workspace& workspace) {
    const StripsOfWeights* weights = workspace.past ? workspace.past->weights() : nullptr;
    return weights ? weights->find(g) : nullptr;
}

// Whole vectors of positions, and an odd number of them: columns a power of two apart would share a
// few lines of the cache.
static Index room_for(Index positions) { return (positions + 15) / 16 / 2 * 32 + 16; }

Past::Past(Index texts, Index blocks, Index C, Index capacity,
           std::shared_ptr<const StripsOfWeights> weights)
    : texts_(texts), weights_(std::move(weights)) {
    PastOfBlock block;
    block.capacity_ = capacity, block.room_ = room_for(capacity);
    block.keys_.resize(std::size_t(texts * block.room_ * C));
    block.values_ = block.keys_;
    blocks_.assign(std::size_t(blocks), block);
}

Past Past::repeated(Index texts) const {
    Past copy = *this;
    copy.texts_ = texts;
    for (PastOfBlock& block : copy.blocks_)
        for (List<Real>* numbers : {&block.keys_, &block.values_}) {
            const Index size = numbers->count() / texts_;  // of a text
            numbers->resize(std::size_t(texts * size));
            for (Index b = 1; b < texts; ++b)
                std::copy_n(numbers->data(), size, numbers->data() + b * size);
        }
    return copy;
}

void Past::clear() {
    for (PastOfBlock& block : blocks_) block.positions_ = 0;
}

void PastOfBlock::join(Attention& a) {
    const Index row_k = a.H * a.d_k, row_v = a.H * a.d_v;
    require(positions_ + a.T <= capacity_ && keys_.count() == a.B * room_ * row_k,
            "past: the context is full");
    for (Index b = 0; b < a.B; ++b) {
        for (Index t = 0; t < a.T; ++t)
            for (Index c = 0; c < row_k; ++c)
                keys_[(b * row_k + c) * room_ + positions_ + t] = a.K[(b * a.T + t) * row_k + c];
        std::copy_n(a.V + b * a.T * row_v, a.T * row_v,
                    values_.data() + (b * room_ + positions_) * row_v);
    }
    positions_ += a.T;
    a.K = keys_.data(), a.V = values_.data(), a.S = positions_, a.room = room_;
}

}  // namespace zhuyi
