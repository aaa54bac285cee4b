#include "model/gpt.h"

#include "autograd/tape.h"
#include "base/check.h"
#include "kernels/past.h"
#include "model/parameters.h"
#include "ops/dropout.h"
#include "ops/embedding.h"
#include "ops/last.h"
#include "ops/layer_norm.h"
#include "ops/rotary.h"

namespace zhuyi {

Gpt::Gpt(const GptConfig& config, Parameters& parameters) : config_(config) {
    token_embedding_ = parameters.tensor("embedding.token");
    const auto fixed = [&](std::vector<Real> numbers, Index columns) {
        fixed_ = std::move(numbers);
        return Tensor{fixed_.data(), nullptr, nullptr, {config.context, columns}};
    };
    const Index T = config.context, C = config.channels, D = config.head_size();
    switch (config.position) {
        case Position::none:
            break;
        case Position::learned:
            position_embedding_ = parameters.tensor("embedding.position");
            break;
        case Position::sinusoidal:
            position_embedding_ = fixed(sinusoids(T, C), C);
            break;
        case Position::rotary:
            angles_ = fixed(rotary_angles(T, D), D);
            break;
    }
    for (Index l = 0; l < config.layers; ++l) blocks_.push_back(block_of(parameters, l));
    final_norm_ = {parameters.tensor("final_norm.gamma"), parameters.tensor("final_norm.beta")};
    if (!config.tied) head_ = parameters.tensor("head.W");
}

Tensor Gpt::logits(Tape& tape, std::span<const Token> ids, Index B, const Pass& pass) {
    const Watching watching(tape, watchers_);
    // pass.past also holds the weights in the order of products with few rows (kernels/past.h).
    tape.workspace().past = pass.past;
    require(B > 0 && std::ssize(ids) / B <= config_.context,
            "gpt: a text is longer than the context");
    const Index first = pass.past ? pass.past->length() : 0;
    Tensor x = embedding(tape, ids, B, token_embedding_, position_embedding_, first);  // (B, T, C)
    tape.name("embedding", x);
    x = dropout(x, pass.training ? config_.embedding_dropout : 0);
    for (const Block& block : blocks_) x = run_block(x, block, config_, angles_, pass);
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
