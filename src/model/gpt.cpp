#include "model/gpt.h"

#include "autograd/tape.h"
#include "base/math.h"
#include "ops/embedding.h"
#include "ops/last.h"
#include "ops/layer_norm.h"

namespace zhuyi {
namespace {

// P[t, 2i] = sin(t / 10000^(2i/C)),  P[t, 2i+1] = cos(…)      (Vaswani et al. 2017, section 3.5)
std::vector<Real> sinusoids(Index T, Index C) {
    std::vector<Real> table(std::size_t(T * C));
    for (Index c = 0; c < C; ++c) {
        const double wave = math::power(10000, double(c / 2 * 2) / double(C));
        for (Index t = 0; t < T; ++t) {
            const double turns = double(t) / wave / 6.283185307179586;
            table[std::size_t(t * C + c)] =
                Real(c % 2 ? math::cos_turns(turns) : math::sin_turns(turns));
        }
    }
    return table;
}

}  // namespace

Gpt::Gpt(const GptConfig& config, Parameters& parameters) : config_(config) {
    token_embedding_ = parameters.tensor("embedding.token");
    if (has_position_table(config)) {
        position_embedding_ = parameters.tensor("embedding.position");
    } else {
        sinusoids_ = sinusoids(config.context, config.channels);
        position_embedding_ = {
            sinusoids_.data(), nullptr, nullptr, {config.context, config.channels}};
    }
    for (Index l = 0; l < config.layers; ++l) blocks_.push_back(block_of(parameters, l));
    final_norm_ = {parameters.tensor("final_norm.gamma"), parameters.tensor("final_norm.beta")};
    if (!config.tied) head_ = parameters.tensor("head.W");
}

Tensor Gpt::logits(Tape& tape, std::span<const Token> ids, Index B, const Pass& pass) {
    const Index first = pass.past ? pass.past->length() : 0;
    Tensor x = embedding(tape, ids, B, token_embedding_, position_embedding_, first);  // (B, T, C)
    tape.name("embedding", x);
    for (const Block& block : blocks_) x = run_block(x, block, config_, pass);
    if (pass.past) pass.past->advance(x.shape[1]);
    if (pass.last_only) x = last(x);
    x = tape.name("final_norm", layer_norm(x, final_norm_.gamma, final_norm_.beta));
    const Tensor scores = head_ ? linear(x, Affine{head_, {}}) : unembedding(x, token_embedding_);
    return tape.name("logits", scores);  // (B, T, V), or (B, 1, V)
}

CrossEntropy Gpt::loss(Tape& tape, std::span<const Token> ids, std::span<const Token> targets,
                       Index B, const Pass& pass) {
    return cross_entropy(logits(tape, ids, B, pass), targets);
}

}  // namespace zhuyi
