// The course's examples that fit a few lines, computed by the project's own ops.
#pragma once
#include <string>
#include <vector>

#include "explain/scaling.h"
#include "ops/attention.h"

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

// One row of scores through softmax, and what scaling does to scores of real dimensions.
struct WorkedSoftmax {
    Numbers scores, weights;
    std::vector<WorkedScaling> scaling;
};
WorkedSoftmax worked_softmax();
Sheet softmax_sheet(const WorkedSoftmax& example);

// One of "attention" (example.h; `heads` and `mask` are its), "dot", "query", "softmax". Throws
// UsageError for another name.
Sheet example_named(const std::string& name, Index heads, Mask mask);

}  // namespace zhuyi
