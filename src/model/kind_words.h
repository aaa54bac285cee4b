// The kinds of parameters in words.
#pragma once
#include <iterator>

#include "base/language.h"
#include "model/parameters.h"

namespace zhuyi {

struct KindWords {
    const char* identifier;  // "W_Q", "ffn_weight": for programs
    Words name;              // at most 16 columns
    Words description;
};

// In the order of Kind.
inline constexpr KindWords kKindWords[] = {
    {"token_embedding", {"token embedding", "词向量表 E"}, {"token embedding", "词向量表 E"}},
    {"position_embedding", {"positions", "位置编码 P"}, {"position embedding", "位置编码 P"}},
    {"W_Q", {"W_Q", "W_Q"}, {"W_Q  query", "W_Q  查询"}},
    {"W_K", {"W_K", "W_K"}, {"W_K  key", "W_K  键"}},
    {"W_V", {"W_V", "W_V"}, {"W_V  value (value down)", "W_V  值的降维矩阵"}},
    {"W_O", {"W_O", "W_O"}, {"W_O  output (value up)", "W_O  值的升维矩阵（输出投影）"}},
    {"attention_bias", {"b_Q … b_O", "b_Q … b_O"}, {"b_Q, b_K, b_V, b_O", "b_Q、b_K、b_V、b_O"}},
    {"ffn_weight", {"W_1, W_2", "W_1、W_2"}, {"W_1, W_2  feed-forward", "W_1、W_2  前馈网络 FFN"}},
    {"ffn_bias", {"b_1, b_2", "b_1、b_2"}, {"b_1, b_2", "b_1、b_2"}},
    {"norm", {"LayerNorm γ, β", "LayerNorm γ、β"}, {"LayerNorm  γ, β", "LayerNorm  γ、β"}},
    {"head", {"output layer", "输出层"}, {"output layer", "输出层"}},
};
static_assert(std::size(kKindWords) == std::size_t(Kind::head) + 1);

inline const KindWords& words_of(Kind kind) { return kKindWords[std::size_t(kind)]; }

}  // namespace zhuyi
