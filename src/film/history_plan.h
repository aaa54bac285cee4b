// What a film shows and when: decided before training from the configuration and the text alone, so
// that the same training leaves the same film.
#pragma once
#include <string>
#include <vector>

#include "film/config.h"
#include "model/config.h"
#include "text/tokenizer.h"

namespace zhuyi {

// Steps with a frame: 0, 1, 2, 3, 5, 8 … while the gaps grow, then evenly, and the last one; at most
// `frames` (which is 2 or more). Early training changes most, and first things are seen best slowly.
std::vector<Index> frame_steps(Index steps, Index frames);

struct HistoryPlan {
    std::vector<Index> steps;  // of the frames, rising
    Index matrix_every = 1;    // matrices in every so manieth frame, from the last on; 0: in none
    std::vector<std::vector<Token>> probes;
    std::vector<Token> watched;  // rising, none twice
    Index block = 0;

    bool frame_at(Index step) const;
    bool matrices_at(Index step) const;
};

// Tokens for which there are probes and how many at most.
constexpr Index kLongestProbe = 64, kProbes = 4;

// Throws UsageError for a probe that is longer than the model's context, for a character to watch
// that has no token, and for a block that is not there.
HistoryPlan plan_history(const HistoryConfig& config, const GptConfig& model, Index steps,
                         const Tokenizer& tokenizer, std::span<const Token> validation);

}  // namespace zhuyi
