// Asks a model all questions: many side by side, on a tape that records nothing. Shorter ones are
// filled up on the right, which no position before sees (the causal mask): a question gets the same
// bits alone and beside others.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "probe/question.h"

namespace zhuyi {

class Gpt;
class Tape;

struct Answers {
    // Of each question: the smallest ln p(right) - ln p(wrong), nats. Right: above 0.
    std::vector<double> margins;  // (Q)
    // How much weight each head's row of the asker puts on the answerer, all its tokens added up.
    std::vector<double> weights;  // (Q, L, H); 0 where a question names no answerer

    bool right(std::size_t question) const { return margins[question] > 0; }
};

// The means, over all tokens of all texts, of what heads and FFNs can be replaced by: "mix" (of all
// heads) and "ffn.output" of each block, (C) each, by their full names.
using Means = std::map<std::string, std::vector<double>, std::less<>>;

// Tokens of a pass, at most, unless one text alone is longer; more are no faster.
constexpr Index kAskedAtOnce = 1024;

// Who watches `tape` watches here too, and may replace numbers (probe/silence.h). The tape does not
// record.
Answers ask(Gpt& model, Tape& tape, const Questions& questions, Means* means = nullptr);

}  // namespace zhuyi
