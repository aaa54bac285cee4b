// Why scores are divided by √d_k: random queries and keys, and what softmax makes of their scores,
// as they are and divided.
#pragma once
#include "formats/sheet.h"

namespace zhuyi {

struct WorkedScaling {
    // Of the weights that one query gives to four keys.
    struct Weights {
        double largest;   // the mean
        double entropy;   // the mean, nats
        double gradient;  // the median of ‖∂weights/∂(q·k)‖ (Frobenius)
    };
    Index d_k;
    double deviation;  // of q · k
    Weights plain, divided;
};

// One row for each of d_k = 4, 32, 128, 512: 1,000 draws of a query and four keys, all entries
// standard normal.
std::vector<WorkedScaling> worked_scaling();
void write_scaling(Sheet& sheet, const std::vector<WorkedScaling>& rows);

}  // namespace zhuyi
