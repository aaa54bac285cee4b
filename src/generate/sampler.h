// Scores of the next token -> one token.
#pragma once
#include <vector>

#include "base/random.h"
#include "base/real.h"

namespace zhuyi {

class Options;

struct SamplerConfig {
    double temperature = 0.8;  // 0: always the most likely one
    Index top_k = 0;           // keep only the k most likely; 0: all
    double top_p = 1;  // keep the most likely ones that together reach p (Holtzman et al. 2020)
    Index seed = 42;
};

void declare(Options& options, SamplerConfig& config);

// What is left after temperature, top-k and top-p, most likely first (ties: the smaller token
// first); the probabilities sum to 1. Computed in double.
struct Candidate {
    Token token;
    double probability;
};
std::vector<Candidate> candidates(In logits, const SamplerConfig& config);

// One of them; `uniform` in [0, 1) decides.
Token pick(const std::vector<Candidate>& candidates, double uniform);

}  // namespace zhuyi
