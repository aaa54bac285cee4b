#include "model/block.h"

#include "autograd/tape.h"
#include "kernels/past.h"
#include "model/config.h"
#include "model/parameters.h"
#include "ops/add.h"
#include "ops/attention.h"
#include "ops/dropout.h"
#include "ops/layer_norm.h"
#include "ops/rotary.h"

namespace zhuyi {
namespace {

// One pass through one block. Its functions are called like the ops that they stand for, and add
// what the two lines of run() leave out: the weights of this block, and the names under which
// watchers know each tensor.
class BlockPass {
  public:
    BlockPass(const Block& block, const GptConfig& config, const Tensor& angles, const Pass& pass)
        : block_(block), config_(config), angles_(angles), pass_(pass) {}

    Tensor run(Tensor x) {
        x = add(x, dropout(attention(layer_norm(x))));
        x = add(x, dropout(feed_forward(layer_norm(x))));
        return x;  // (B, T, C), like every tensor that is added here
    }

  private:
    Tensor layer_norm(const Tensor& x) const {
        const Norm& norm = first_line_ ? block_.norm_1 : block_.norm_2;
        return x.tape->name(first_line_ ? "norm_1" : "norm_2",
                            zhuyi::layer_norm(x, norm.gamma, norm.beta));
    }

    // Each position asks a question (its query, a row of Q). Every position up to it answers with a
    // key (K), which says how well it fits, and with a value (V), which is what it contributes to
    // the mix. With rotary positions Q and K are turned before they meet.
    Tensor attention(const Tensor& x) const {
        Tape& tape = *x.tape;
        const Scope scope(tape, "attention");
        auto [Q, K, V] = linear(x, {block_.W_Q, block_.W_K, block_.W_V});  // (B, T, C) each
        tape.name("Q", Q), tape.name("K", K), tape.name("V", V);
        if (angles_) {
            const Index first = pass_.past ? pass_.past->length() : 0;
            Q = tape.name("Q_turned", rotary(Q, angles_, config_.heads, first));  // (B, T, C)
            K = tape.name("K_turned", rotary(K, angles_, config_.heads, first));  // (B, T, C)
        }
        const Tensor mix =
            zhuyi::attention(Q, K, V, config_.heads, Mask::causal,
                             pass_.past ? &pass_.past->block(block_.number) : nullptr);
        return tape.name("output", linear(tape.name("mix", mix), block_.W_O));  // (B, T, C)
    }

    // gelu(x W_1 + b_1) W_2 + b_2, each position on its own.
    Tensor feed_forward(const Tensor& x) const {
        Tape& tape = *x.tape;
        const Scope scope(tape, "ffn");
        const Tensor gelu = gelu_of_linear(x, block_.W_1, config_.activation);    // (B, T, F)
        return tape.name("output", linear(tape.name("gelu", gelu), block_.W_2));  // (B, T, C)
    }

    Tensor dropout(const Tensor& x) const {
        return zhuyi::dropout(x, pass_.training ? config_.dropout : 0);
    }

    Tensor add(const Tensor& x, const Tensor& branch) {
        const char* name = first_line_ ? "residual.1" : "residual.2";
        first_line_ = false;
        return x.tape->name(name, zhuyi::add(x, branch));
    }

    const Block& block_;
    const GptConfig& config_;
    const Tensor& angles_;
    const Pass& pass_;
    bool first_line_ = true;  // of run()
};

}  // namespace

Tensor run_block(Tensor x, const Block& block, const GptConfig& config, const Tensor& angles,
                 const Pass& pass) {
    const Scope scope(*x.tape, "block", block.number);
    return BlockPass(block, config, angles, pass).run(x);
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
