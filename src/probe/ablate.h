// Which head carries which rule: every head and every FFN is silenced in turn, and the probes are
// asked again (a knock-out; with the mean, the numbers that follow keep their usual size).
#pragma once
#include <vector>

#include "probe/question.h"

namespace zhuyi {

class Gpt;

enum class Replaced { by_mean, by_zero };  // the mean over all characters of all probes

// What a rule loses without one part, over its seen and new probes together.
struct Lost {
    double points;  // percentage points of right answers
    double margin;  // nats
};

struct Ablation {
    Index layers, heads;
    std::vector<Lost> losses;  // (rules, L, H + 1): the heads of a block, then its FFN

    // head == heads: the FFN
    const Lost& of(std::size_t rule, Index block, Index head) const {
        return losses[std::size_t((Index(rule) * layers + block) * (heads + 1) + head)];
    }
};

// Asks all questions L (H + 1) + 1 times.
Ablation ablate(Gpt& model, const Questions& questions, Replaced replaced);

}  // namespace zhuyi
