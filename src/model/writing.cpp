// What a model does so that writing is fast (kernels/past.h).
#include "kernels/past.h"
#include "model/gpt.h"

namespace zhuyi {

Past Gpt::past(Index texts) const {
    return {texts, config_.layers, config_.channels, config_.context, laid_out_};
}

// Every matrix that x is multiplied with: W (in, out) as it stands, and the token embedding (V, C)
// transposed.
void Gpt::lay_out(Precision precision) {
    std::vector<StripsOfWeights::Weights> all;
    const auto add = [&](const Tensor& W) {
        all.push_back({{W.value, W.columns(), 1}, W.rows(), W.columns()});
    };
    for (const Block& block : blocks_)
        for (const Affine* map :
             {&block.W_Q, &block.W_K, &block.W_V, &block.W_O, &block.W_1, &block.W_2})
            add(map->W);
    const Tensor& E = token_embedding_;
    if (head_)
        add(head_);
    else
        all.push_back({{E.value, 1, E.columns()}, E.columns(), E.rows()});
    laid_out_ = std::make_shared<const StripsOfWeights>(std::move(all), precision);
}

}  // namespace zhuyi
