// The gradients of one block's attention, seen from one position through one head: from its output
// back to W_O, V, Q, K and the four matrices.
#pragma once
#include "explain/attention.h"

namespace zhuyi {

struct WorkedAttentionBackward {
    Numbers d_output;             // (C): of attention.output at the query
    Grid W_O;                     // (d_k, C): the head's rows
    Numbers d_mix;                // (d_k): of this head's weighted sum at the query
    Numbers d_weights, d_scores;  // (T) at the query; scores are the scaled ones
    Grid d_Q_met, d_K_met;        // (T, d_k): of Q and K as they met, with rotary positions turned
    Grid d_Q, d_K, d_V;           // (T, d_k): of Q and K as W_Q and W_K gave them
    Grid dW_Q, dW_K, dW_V;        // (C, d_k): this head's columns
    Grid dW_O;                    // (d_k, C)
    // The largest entry of dW_Q is dW_Q[row, column] = Σ_t X[t, row] dQ[t, column].
    Index row, column;
    Numbers entry_X, entry_dQ;  // (T)
};

// `pass` must hold gradients, too.
WorkedAttentionBackward worked_attention_backward(const WorkedModel& model, const WorkedText& text,
                                                  const WorkedAttention& attention,
                                                  const WorkedPass& pass);
void write_attention_backward(Sheet& sheet, const WorkedText& text,
                              const WorkedAttention& attention,
                              const WorkedAttentionBackward& backward);

}  // namespace zhuyi
