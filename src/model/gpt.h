// The model: tokens in, scores of the next token out (Radford et al. 2019; decoder of Vaswani et
// al. 2017, but with each LayerNorm before its branch, not after the addition).
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "model/block.h"
#include "model/config.h"
#include "ops/cross_entropy.h"

namespace zhuyi {

class Parameters;
class StripsOfWeights;
class Watcher;

class Gpt {
  public:
    // Keeps views into `parameters`, which must outlive the model and fit the configuration.
    Gpt(const GptConfig& config, Parameters& parameters);
    Gpt(const Gpt&) = delete;
    Gpt& operator=(const Gpt&) = delete;

    const GptConfig& config() const { return config_; }
    // (T_max, C): the table of positions that is added to the embeddings, learned or fixed.
    // Absent if the position encoding adds no table (none, rotary).
    const Tensor& positions() const { return position_embedding_; }

    // ids: (B, T), with T <= context; with pass.past they come after the positions it holds, and
    // all of them together must fit. Gives (B, T, V), or with pass.last_only (B, 1, V).
    Tensor logits(Tape& tape, std::span<const Token> ids, Index B, const Pass& pass);

    // For writing text (model/writing.cpp): past() makes a memory of keys and values for `texts`
    // texts of config.context positions. lay_out() copies the weights into a faster order: call it
    // when no weight changes any more, and before past().
    Past past(Index texts) const;
    void lay_out(Precision precision);

    // From now on `watcher` sees every forward pass, and may replace numbers in it (silence a head,
    // say). It sees no gradients, and must live as long as the model is used.
    void watch(Watcher& watcher) { watchers_.push_back(&watcher); }

    // Mean cross entropy of predicting targets[i] after ids[i] (both (B, T)), in nats per token.
    CrossEntropy loss(Tape& tape, std::span<const Token> ids, std::span<const Token> targets,
                      Index B, const Pass& pass);

  private:
    GptConfig config_;
    Tensor token_embedding_;     // (V, C)
    Tensor position_embedding_;  // (T_max, C), absent where nothing is added
    Tensor angles_;              // (T_max, d_k), of rotary positions alone
    std::vector<Real> fixed_;    // numbers of one of these two: computed, not learned
    std::vector<Block> blocks_;
    Norm final_norm_;
    Tensor head_;  // (C, V), absent when tied
    std::vector<Watcher*> watchers_;
    std::shared_ptr<const StripsOfWeights> laid_out_;
};

}  // namespace zhuyi
