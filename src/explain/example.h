// The course's example 猫 吃 鱼, computed by the project's own ops: small enough for pencil and paper.
#pragma once
#include <string>
#include <vector>

#include "explain/head.h"
#include "formats/sheet.h"

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
    Grid mix;           // (3, 2 · heads): the heads side by side
    Grid output;        // mix · W_O with two heads; otherwise mix
    Grid mean_weights;  // (3, 3) over the heads
};

// heads: 1 or 2. Throws UsageError for another number.
WorkedExample worked_example(Index heads, Mask mask);
Sheet example_sheet(const WorkedExample& example);

}  // namespace zhuyi
