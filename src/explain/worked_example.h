// The course's examples, computed by the project's own ops: small enough for pencil and paper.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "explain/worked_head.h"

namespace zhuyi {

// 猫 吃 鱼 through attention: 3 tokens, d_in = 4, no bias.
struct WorkedExample {
    std::vector<std::string> tokens;
    Index heads = 1;
    Mask mask = Mask::none;
    Grid X;              // (3, 4)
    Grid W_Q, W_K, W_V;  // (4, 2); with two heads (4, 4), head 0 in the left half
    Grid W_O;            // (4, 4) with two heads; otherwise empty
    Grid Q, K, V;        // X · W
    std::vector<WorkedHead> each_head;
    Grid mix;           // (3, 2 heads): the heads side by side
    Grid output;        // mix · W_O with two heads; otherwise mix
    Grid mean_weights;  // (3, 3) over the heads
};

// heads: 1 or 2. Throws UsageError for another number.
WorkedExample worked_example(Index heads, Mask mask);

// How alike 邀请 is to 小, 沈 and 阳.
struct WorkedDot {
    struct Pair {
        std::string token;
        Numbers vector;
        double dot, cosine, length;
    };
    std::string query;
    Numbers query_vector;
    double query_length;
    std::vector<Pair> pairs;
};
WorkedDot worked_dot();

// One vector through one matrix: q = x · W.
struct WorkedQuery {
    Numbers x;  // (4)
    Grid W;     // (4, 3)
    Numbers q;  // (3)
};
WorkedQuery worked_query();

// One row of scores through softmax: as it is, and divided.
struct WorkedSoftmax {
    struct Row {
        Index d_k;       // scores are divided by √d_k; 1: as they are
        Numbers scaled;  // scores / √d_k
        Numbers weights;
        double largest, entropy;    // of the weights; nats
        double gradient;            // Frobenius norm of ∂weights/∂scaled = diag(p) - p pᵀ
        double gradient_to_scores;  // the same / √d_k: what reaches the undivided scores
    };
    Numbers scores;
    std::vector<Row> rows;
};
WorkedSoftmax worked_softmax();

}  // namespace zhuyi
