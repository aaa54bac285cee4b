// THE table of parameters. One row says a parameter's name, shape, initial values, weight decay and
// offset in memory; everything else (initialising, counting, the optimizer, clipping, checkpoints,
// freezing) walks this table. A new parameter begins with a row here; src/README.md
// has the rest.
//
// Values and gradients are two flat buffers of equal length, so that "how far has W_Q of block 3
// moved" is a subtraction of two spans. What an optimizer remembers is laid out in the same way.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/tensor.h"

namespace zhuyi {

struct GptConfig;

enum class Kind {
    token_embedding,
    position_embedding,
    W_Q,
    W_K,
    W_V,
    W_O,
    attention_bias,
    ffn_weight,
    ffn_bias,
    norm,
    head,
};

struct Parameter {
    std::string name;  // "block.0.attention.W_Q"
    Shape shape;
    Kind kind;
    Index block;                // -1 outside the blocks
    double mean, deviation;     // initial values are normal; deviation 0: all equal to mean
    bool decay;                 // weight decay: for matrices only, not for biases and norms
    Index offset;               // of its first element in the flat buffers; a multiple of 16
    bool block_matrix = false;  // W_Q … W_2: a matrix that a block multiplies with
    bool frozen = false;
};

// Rows in the order of the forward pass; `frozen`: as freeze() takes it. Takes no memory for the
// numbers, so it works for models that fit no machine.
std::vector<Parameter> parameter_table(const GptConfig& config, std::string_view frozen = "");

// "embedding", "attention", "ffn", "norm", "block.3", joined by commas: marks those rows as frozen.
// Throws UsageError for another word.
void freeze(std::vector<Parameter>& table, std::string_view parts);

Index count(const std::vector<Parameter>& table);          // elements, padding apart
Index buffer_length(const std::vector<Parameter>& table);  // elements of one flat buffer
// Returns sum(parameter_table(config)) for a sum over rows. All blocks have the same rows, so two
// small tables tell it for any number of blocks: a table of 65,536 is never made.
double sum_over_table(const GptConfig& config,
                      const std::function<double(const std::vector<Parameter>&)>& sum);

class Parameters {
  public:
    // All values are 0. `training`: with gradients; without them only the values take memory.
    Parameters(std::vector<Parameter> table, bool training);

    void initialise(std::uint64_t seed);  // draws the initial values of every row

    const std::vector<Parameter>& table() const { return table_; }
    bool training() const { return !gradients_.empty(); }
    // Throw Error for an unknown name.
    const Parameter& row(std::string_view name) const;
    Tensor tensor(std::string_view name);

    Out value(const Parameter& p) { return slice(value_, p); }
    Out grad(const Parameter& p) { return slice(grad_, p); }

    // Whole buffers, padding included (the padding is zero and stays zero).
    Out values() { return whole(value_); }
    Out grads() { return whole(grad_); }

    void forget_gradients();  // before a step: from now on every gradient counts as zero
    void settle_gradients();  // before the optimizer: a gradient that nothing was added to is zeros

    // One 64-bit hash of all values in table order, padding apart: two runs that agree print the
    // same.
    std::uint64_t fingerprint();

  private:
    Out slice(const AlignedBytes& buffer, const Parameter& p) const;
    Out whole(const AlignedBytes& buffer) const;

    std::vector<Parameter> table_;
    Index length_;
    AlignedBytes value_, grad_;
    std::vector<Gradient> gradients_;  // one a row; empty without training
};

}  // namespace zhuyi
