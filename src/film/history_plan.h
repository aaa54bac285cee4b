// What is recorded and when: decided before training from the configuration and the text alone, so
// that the same training leaves the same history.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "film/history.h"
#include "film/push_plan.h"
#include "train/schedule.h"

namespace zhuyi {

class Tokenizer;
struct GptConfig;
struct HistoryConfig;
struct TrainConfig;

// Steps with a frame: 0, 1, 2, 3, 5, 8 … with growing gaps, then with equal gaps, and the last
// step; at most `frames` (which is 2 or more). The first steps of a training change most.
std::vector<Index> frame_steps(Index steps, Index frames);

struct HistoryPlan {
    std::vector<Index> steps;           // of the frames, rising
    std::vector<Index> matrix_steps;    // of the frames with matrices, among them the last; or none
    std::vector<Index> snapshot_steps;  // of the frames with all weights, in the same way
    std::vector<Index> push_steps;      // of the frames that say what pushed the embeddings
    std::vector<std::vector<Token>> sentences;
    std::vector<std::vector<Token>> role_texts;  // on which the heads' roles are measured (roles.h)
    std::vector<Token> watched;                  // in rising order, no token twice
    PushPlan pushes;                             // whose embeddings
    std::vector<std::string> matrices;  // rows of the parameter table: the matrices of one block
    std::vector<HistoryStream> streams;
    std::vector<PlannedSteps> plans{};
    double budget = 0;         // bytes of the file without its snapshots; 0: no limit
    Index frames;              // asked for, in a training of the steps first planned
    Index snapshots = 0;       // in a training of the steps first planned
    Index matrices_every = 0;  // 0: the steps stay as they are

    // Where the steps are planned anew (--minutes), the later frames follow the newest plan; then
    // each matrices_every-th frame carries matrices, from the first on, and the last one; snapshots
    // lie at the shares of the plan that is followed at their step.
    void follow(const std::vector<PlannedSteps>& newest);
    // The end that was planned when update number `step` was made.
    Index last_step(Index step) const { return planned_steps(step - 1, plans); }
    bool frame_at(Index step) const;
    bool matrices_at(Index step) const;
    bool snapshot_at(Index step) const;
    bool pushes_at(Index step) const;
};

// A snapshot takes 2 bytes a weight (bf16), all together at most so many.
constexpr double kSnapshotBytes = 2, kMostBytesOfSnapshots = 16e6;
// How many there are of a model with so many weights: those asked for, as far as they fit.
Index snapshots_of(const HistoryConfig& config, Index weights);
// Which frames hold them: the nearest to 0, 2, 8, 20, 45 and 100 % of the last one's step; fewer
// are spread over these shares, one alone is the last.
std::vector<Index> snapshot_steps(const std::vector<Index>& frames, Index snapshots);

// Tokens of the longest sentence that is watched, and the largest number of sentences.
constexpr Index kLongestSentence = 64, kSentences = 4;

// Throws UsageError for a sentence that is longer than the model's context, for a character to
// watch that has no token, and for a block that is not there. Without `train` nothing is pushed.
HistoryPlan plan_history(const HistoryConfig& config, const GptConfig& model,
                         const TrainConfig& training, const Tokenizer& tokenizer,
                         std::span<const Token> validation, std::span<const Token> train = {});

}  // namespace zhuyi
