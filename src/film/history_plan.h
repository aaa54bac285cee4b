// What is recorded and when: decided before training from the configuration and the text alone, so
// that the same training leaves the same history.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "film/history.h"

namespace zhuyi {

class Tokenizer;
struct GptConfig;
struct HistoryConfig;

// Steps with a frame: 0, 1, 2, 3, 5, 8 … with growing gaps, then with equal gaps, and the last
// step; at most `frames` (which is 2 or more). The first steps of a training change most.
std::vector<Index> frame_steps(Index steps, Index frames);

struct HistoryPlan {
    std::vector<Index> steps;         // of the frames, rising
    std::vector<Index> matrix_steps;  // of the frames with matrices, among them the last; or none
    std::vector<std::vector<Token>> sentences;
    std::vector<Token> watched;         // in rising order, no token twice
    std::vector<std::string> matrices;  // rows of the parameter table: the matrices of one block
    std::vector<HistoryStream> streams;

    Index last_step() const { return steps.back(); }
    bool frame_at(Index step) const;
    bool matrices_at(Index step) const;
};

// Tokens of the longest sentence that is watched, and the largest number of sentences.
constexpr Index kLongestSentence = 64, kSentences = 4;

// Throws UsageError for a sentence that is longer than the model's context, for a character to
// watch that has no token, and for a block that is not there.
HistoryPlan plan_history(const HistoryConfig& config, const GptConfig& model, Index steps,
                         const Tokenizer& tokenizer, std::span<const Token> validation);

}  // namespace zhuyi
