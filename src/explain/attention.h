// The attention of one block, seen from one position through one head: from Q, K, V to what the
// heads add to the vector.
#pragma once
#include <optional>

#include "explain/rotation.h"

namespace zhuyi {

struct WorkedAttention {
    Grid X;                 // (T, C): what W_Q, W_K and W_V are applied to
    Grid W_Q, W_K, W_V;     // (C, d_k): this head's columns
    Numbers b_Q, b_K, b_V;  // (d_k)
    Grid Q, K;              // (T, d_k): as W_Q and W_K give them
    WorkedHead head;        // its Q and K are these, with rotary positions turned
    std::optional<WorkedRotation> rotation;
    Grid similarity;   // (T, T): X · Xᵀ
    Numbers unscaled;  // (query + 1): the softmax of the query's row without ÷ √d_k
    // the heads together, at the query
    Numbers concatenation;  // (C)
    Grid head_parts;        // (H, C): mix_h · W_O[h]
    Numbers b_O, output;    // (C)
};

WorkedAttention worked_attention(const WorkedModel& model, const WorkedText& text,
                                 const WorkedPass& pass);
void write_attention(Sheet& sheet, const WorkedText& text, const WorkedAttention& attention);

// What each head of a block adds to x at one position: mix_h · W_O[h], (H, C).
Grid head_parts(const WorkedModel& model, const WorkedPass& pass, Index block, Index position);

}  // namespace zhuyi
