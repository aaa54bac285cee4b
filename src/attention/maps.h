// Where each token of a text looks: the attention weights of every block and head, taken from one
// pass through the model by a watcher on its tape.
#pragma once
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/language.h"
#include "base/list.h"

namespace zhuyi {

class Gpt;
class Tokenizer;

// The mean over the heads stands where a head could stand.
constexpr Index kMeanHead = std::numeric_limits<Index>::min();
std::string head_name(Index head);     // "0", "1" …, "mean"
std::string head_words(Index head);    // "head 0", "mean of the heads"
std::string block_words(Index block);  // "block 0"

struct AttentionMaps {
    List<Index> blocks, heads;  // which ones these are: 0, 1, 2 … until some are chosen
    List<std::string> tokens;   // T names as in vocabulary.txt: 小, ⟨E8⟩, \n
    List<Real> weights;         // (L, H, T, T): row t says how much t attends to each s

    Index length() const { return tokens.count(); }  // T
    std::vector<Index> shape() const {               // {L, H, T, T}
        return {blocks.count(), heads.count(), length(), length()};
    }
    // (T, T) of the block and head at these places of `blocks` and `heads`.
    View<const Real> map(Index block, Index head) const;
};

// Of one text: T tokens, at most the model's context.
AttentionMaps attention_maps(Gpt& model, const Tokenizer& tokenizer, std::span<const Token> ids);

// A part of the maps, in the same form. Throw UsageError for a number that is not there, and say
// which ones are.
AttentionMaps one_block(const AttentionMaps& maps, Index block);
AttentionMaps head_of(const AttentionMaps& maps, Index head);  // kMeanHead: the mean over the heads

}  // namespace zhuyi
