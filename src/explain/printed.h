// The tutorial's table of 猫 吃 鱼 as it is printed, beside what follows from its own numbers and
// beside the right one: who worked it by hand sees where the road was left.
#pragma once
#include "explain/example.h"

namespace zhuyi {

struct PrintedExample {
    struct Stage {
        const char* key;
        Label name;
        int decimals;
        Grid printed;  // (3, columns)
        Grid follows;  // from what was printed before it
        Grid right;    // as its own program computes it
        // Does what is printed follow from what was printed before, to the digits that stand there?
        bool follows_from_before(Index row) const;
        bool is_right(Index row) const;
    };
    std::vector<Stage> stages;  // Q, K, V, scores, weights, output
};

PrintedExample printed_example();
Sheet printed_sheet(const PrintedExample& example);

}  // namespace zhuyi
