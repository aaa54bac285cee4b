// What a configuration costs. The model is not built for it, so this works for sizes that fit no
// machine. Everything but the counts of weights is in double: GPT-3's numbers exceed 64 bits.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/language.h"
#include "model/parameters.h"

namespace zhuyi {

struct GptConfig;
struct Sheet;
struct TrainConfig;

std::map<Kind, std::vector<Parameter>> rows_by_kind(const std::vector<Parameter>& table);
// W_Q, W_K, W_V, W_O without biases: 4·C²·L.
Index attention_matrices(const std::vector<Parameter>& table);

// Bytes while training, four for each number.
struct Memory {
    double weights, gradients, moments;  // moments: what the optimizer remembers
    // By rows that AdamW does not update: it would remember more; 0 if there are none.
    double spared;
    double activations;  // of one pass over B windows, with the gradients that exist at once
    double all() const { return weights + gradients + moments + activations; }
};
Memory training_memory(const GptConfig& config, const TrainConfig& training);
// "Muon's m, AdamW's m and v"; and "3.1 MiB less than AdamW alone", or nothing.
std::string words_of_moments(const TrainConfig& training);
std::string words_of_spared(const Memory& memory);
// What an evaluation holds besides: the activations of one pass forward.
double evaluation_memory(const GptConfig& config, const TrainConfig& training);
// What asking probes (probe/ask.h) holds besides: a pass forward whose attention is looked at.
double asking_memory(const GptConfig& config, Index tokens);

// Floating-point operations for one token; a multiplication and its addition are two.
struct Work {
    double matrices;  // M: weights that every token is multiplied with, the output layer included
    double attention;  // forward: 2·L·C·(T+1). QKᵀ and weights·V cost 2·C each for every position
                       // that a token sees; under a causal mask it sees (T+1)/2 of them on average
    double forward() const { return 2 * matrices + attention; }
    // Backward is twice forward: each product needs the gradient of both its factors.
    double training() const { return 3 * forward(); }
};
Work work_per_token(const GptConfig& config);

// One head's weights are T × T; a model has L·H of them for each text.
double attention_pattern(const GptConfig& config, Index T);

// All of it as `zhuyi params` shows it, and the shapes on the way through a block. Where the
// vocabulary is 0 it is not known: its rows count nothing and say so.
struct SizeWish {
    Index tokens = 0;      // T of the table of shapes; 0 means the whole context
    bool full = false;     // every block's rows; otherwise the first block's stand for all
    bool compare = false;  // known models beside this one
};
Sheet size_sheet(const GptConfig& model, const TrainConfig& training, const SizeWish& wish = {});

}  // namespace zhuyi
