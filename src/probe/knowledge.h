// What a model knows of each rule: the share of probes that it answers right, how clearly, and the
// head that looks at what decides the answer.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "probe/ask.h"

namespace zhuyi {

struct GptConfig;

constexpr double kKnown = 0.9;  // share right, of seen and of new probes, from which on it is known

struct Answered {
    double right;   // share, 0 to 1
    double margin;  // nats, the mean
};

struct Head {
    Index block, head;  // from 0
    bool operator==(const Head&) const = default;
    std::string name() const;  // "2.3"
};

struct Knowledge {                         // of one rule
    std::optional<Answered> seen, unseen;  // nothing: no such probe was asked
    // Of all heads the one with the largest mean weight on the answerer, over the new probes.
    std::optional<Head> head;
    double weight = 0;

    bool known() const;
};

// One for each of questions.rules, in their order.
std::vector<Knowledge> knowledge(const Questions& questions, const Answers& answers,
                                 const GptConfig& config);

}  // namespace zhuyi
