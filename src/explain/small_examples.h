// The course's examples that fit a few lines, computed by the project's own ops.
#pragma once
#include <string>
#include <vector>

#include "explain/sheet.h"

namespace zhuyi {

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
Sheet dot_sheet(const WorkedDot& example);

// One vector through one matrix: q = x · W.
struct WorkedQuery {
    Numbers x;  // (4)
    Grid W;     // (4, 3)
    Numbers q;  // (3)
};
WorkedQuery worked_query();
Sheet query_sheet(const WorkedQuery& example);

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
Sheet softmax_sheet(const WorkedSoftmax& example);

}  // namespace zhuyi
