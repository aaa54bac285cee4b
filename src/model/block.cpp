#include "model/block.h"

#include <tuple>

#include "autograd/tape.h"
#include "model/config.h"
#include "model/parameters.h"
#include "model/past.h"
#include "ops/add.h"
#include "ops/attention.h"
#include "ops/dropout.h"
#include "ops/layer_norm.h"
#include "ops/rotary.h"

namespace zhuyi {
namespace {

// Each position asks a question (its query, a row of Q). Every position up to it answers with a key
// (K), which says how well it fits, and with a value (V), which is what it contributes to the mix.
// With rotary positions Q and K are turned before they meet; a past holds keys already turned.
Tensor self_attention(const Tensor& x, const Block& block, Index heads, const Tensor& angles,
                      Past* past) {
    Tape& tape = *x.tape;
    const Scope scope(tape, "attention");
    auto [Q, K, V] = linear(x, {block.W_Q, block.W_K, block.W_V});  // (B, T, C) each
    tape.name("Q", Q), tape.name("K", K), tape.name("V", V);
    if (angles) {
        const Index first = past ? past->length() : 0;
        Q = tape.name("Q_turned", rotary(Q, angles, heads, first));  // (B, T, C)
        K = tape.name("K_turned", rotary(K, angles, heads, first));  // (B, T, C)
    }
    // All positions so far: K turned, (B, C, room), V (B, S, C)
    if (past) std::tie(K, V) = past->append(block.number, K, V);
    const Tensor mix =
        attention(Q, K, V, heads, Mask::causal, past ? past->room() : 0);  // (B, T, C)
    return tape.name("output", linear(tape.name("mix", mix), block.W_O));  // (B, T, C)
}

// gelu(x W_1 + b_1) W_2 + b_2, each position on its own.
Tensor feed_forward(const Tensor& x, const Block& block, Activation activation) {
    Tape& tape = *x.tape;
    const Scope scope(tape, "ffn");
    const Tensor gelu = gelu_of_linear(x, block.W_1, activation);            // (B, T, F)
    return tape.name("output", linear(tape.name("gelu", gelu), block.W_2));  // (B, T, C)
}

Tensor normalised(const char* name, const Tensor& x, const Norm& norm) {
    return x.tape->name(name, layer_norm(x, norm.gamma, norm.beta));
}

}  // namespace

Tensor run_block(Tensor x, const Block& block, const GptConfig& config, const Tensor& angles,
                 const Pass& pass) {
    Tape& tape = *x.tape;
    const Scope scope(tape, "block", block.number);
    const double p = pass.training ? config.dropout : 0;

    const Tensor attended = self_attention(normalised("norm_1", x, block.norm_1), block,
                                           config.heads, angles, pass.past);  // (B, T, C)
    x = tape.name("residual.1", add(x, dropout(attended, p)));
    const Tensor fed_forward =
        feed_forward(normalised("norm_2", x, block.norm_2), block, config.activation);  // (B, T, C)
    x = tape.name("residual.2", add(x, dropout(fed_forward, p)));
    return x;
}

Block block_of(Parameters& parameters, Index number) {
    const auto get = [&](const char* name) {
        return parameters.tensor("block." + std::to_string(number) + "." + name);
    };
    return {number,
            {get("norm_1.gamma"), get("norm_1.beta")},
            {get("norm_2.gamma"), get("norm_2.beta")},
            {get("attention.W_Q"), get("attention.b_Q")},
            {get("attention.W_K"), get("attention.b_K")},
            {get("attention.W_V"), get("attention.b_V")},
            {get("attention.W_O"), get("attention.b_O")},
            {get("ffn.W_1"), get("ffn.b_1")},
            {get("ffn.W_2"), get("ffn.b_2")}};
}

}  // namespace zhuyi
