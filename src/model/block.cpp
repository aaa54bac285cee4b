#include "model/block.h"

#include <tuple>

#include "ops/add.h"
#include "ops/attention.h"
#include "ops/dropout.h"
#include "ops/layer_norm.h"

namespace zhuyi {
namespace {

// Every head asks (Q) every earlier position what it has to offer (K), and takes a mix of what
// those say (V).
Tensor self_attention(const Tensor& x, const Block& block, Index heads, Past* past) {
    Tape& tape = *x.tape;
    const Tape::Scope scope(tape, "attention");
    auto [Q, K, V] = linear(x, {block.Q, block.K, block.V});  // (B, T, C) each
    tape.name("Q", Q), tape.name("K", K), tape.name("V", V);
    Index rows_in_memory = 0;
    if (past) {
        std::tie(K, V) = past->append(block.number, K, V);  // (B, S, C): all positions so far
        rows_in_memory = past->capacity();
    }
    const Tensor mix = attention(Q, K, V, heads, Mask::causal, rows_in_memory);
    return tape.name("output", linear(tape.name("mix", mix), block.O));
}

// Each position on its own: widen, bend, narrow.
Tensor feed_forward(const Tensor& x, const Block& block, Activation activation) {
    Tape& tape = *x.tape;
    const Tape::Scope scope(tape, "ffn");
    const Tensor bent = gelu_of_linear(x, block.expand, activation);  // (B, T, F)
    return tape.name("output", linear(tape.name("gelu", bent), block.contract));
}

Tensor normalised(const char* name, const Tensor& x, const Norm& norm) {
    return x.tape->name(name, layer_norm(x, norm.gamma, norm.beta));
}

}  // namespace

Tensor run_block(Tensor x, const Block& block, const GptConfig& config, const Pass& pass) {
    Tape& tape = *x.tape;
    const Tape::Scope scope(tape, "block", block.number);
    const auto drop = [&](const Tensor& branch, int which) {
        const std::uint64_t place =
            std::uint64_t((pass.micro_step * config.layers + block.number) * 2 + which);
        return dropout(branch, pass.training ? config.dropout : 0,
                       Random(pass.seed, Stream::dropout, std::uint64_t(pass.step), place));
    };
    const auto attend = [&](const Tensor& n) {
        return self_attention(n, block, config.heads, pass.past);
    };
    const auto think = [&](const Tensor& n) { return feed_forward(n, block, config.activation); };

    x = tape.name("residual.1", add(x, drop(attend(normalised("norm_1", x, block.norm_1)), 0)));
    x = tape.name("residual.2", add(x, drop(think(normalised("norm_2", x, block.norm_2)), 1)));
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
