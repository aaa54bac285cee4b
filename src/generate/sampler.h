// Scores of the next token -> one token.
#pragma once
#include <span>
#include <vector>

#include "base/random.h"
#include "base/real.h"

namespace zhuyi {

class Options;

struct SamplerConfig {
    double temperature = 0.8;  // 0 means always the most likely one
    Index top_k = 0;           // keep only the k most likely (Fan et al. 2018); 0 keeps all
    double top_p = 1;  // keep the most likely ones that together reach p (Holtzman et al. 2020)
    double min_p = 0;  // keep those with at least this share of the most likely one's probability
                       // (Nguyen et al. 2024); 0 keeps all
    // Against repetition: each looks at all tokens that the text has so far, its prompt included.
    double repetition_penalty = 1;  // θ: a positive score of a token that is there is divided by θ,
                                    // a negative one multiplied (Keskar et al. 2019, section 4.1)
    double frequency_penalty = 0;  // taken from a token's score for each time that it is there, as
                                   // OpenAI's API has it
    // No sequence of that many tokens occurs twice (Paulus et al. 2017, section 2.5); 0 means off.
    Index no_repeat = 0;
    Index seed = 42;

    bool looks_back() const {
        return repetition_penalty != 1 || frequency_penalty != 0 || no_repeat > 0;
    }
};

void declare(Options& options, SamplerConfig& config);

// What is left after the penalties, temperature, top-k, top-p and min-p, in this order, most likely
// first (ties: the smaller token first); the probabilities sum to 1. Computed in double.
// logits: (V). so_far: the tokens of the text, for the penalties. enough: where nothing but the
// temperature limits them, only as many as together exceed this share may be given: a draw looks at
// no more, and sorting all of them takes longer than a small model's pass.
struct Candidate {
    Token token;
    double probability;
};
std::vector<Candidate> candidates(In logits, const SamplerConfig& config,
                                  std::span<const Token> so_far = {}, double enough = 1);

// One of them; `uniform` in [0, 1) decides.
Token pick(const std::vector<Candidate>& candidates, double uniform);

// ln of the probability that the model itself gives a token, before temperature and all else.
double log_probability(In logits, Token token);

}  // namespace zhuyi
