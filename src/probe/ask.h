// Asks a model all questions: many side by side, on a tape that records nothing. Shorter texts are
// filled up on the right. The causal mask hides the filling from every position before it, so a
// question gets the same bits alone and beside others.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "probe/question.h"

namespace zhuyi {

class Gpt;
class Tape;

struct Answers {
    // Of each question the smallest ln p(right) - ln p(wrong), in nats; above 0 the answer is
    // right.
    std::vector<double> margins;  // (Q)
    // The attention weight of each head from the asker to the answerer, summed over its tokens.
    std::vector<double> weights;  // (Q, L, H); 0 if a question names no answerer

    bool right(std::size_t question) const { return margins[question] > 0; }
};

// What can replace the output of heads and FFNs: the means over all tokens of all texts of "mix"
// (of
// all heads) and "ffn.output" of each block, (C) each, by their full names.
using Means = std::map<std::string, std::vector<double>, std::less<>>;

// At most this many tokens are read in one pass, unless one text alone is longer; more tokens would
// not be faster.
constexpr Index kAskedAtOnce = 1024;

// A watcher of `tape` sees these passes, too, and may replace numbers (probe/silence.h). The tape
// must not record.
Answers ask(Gpt& model, Tape& tape, const Questions& questions, Means* means = nullptr);

}  // namespace zhuyi
