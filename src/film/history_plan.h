// What is recorded and when: decided before training from the configuration and the text alone, so
// that the same training leaves the same history.
#pragma once
#include <map>
#include <span>
#include <string>
#include <vector>

#include "film/history.h"

namespace zhuyi {

class Tokenizer;
struct GptConfig;
struct HistoryConfig;
struct TrainConfig;

// The tokens of the characters that an option names. Throws UsageError for a character that has no
// token of its own.
std::vector<Token> tokens_of(const char* option, std::string_view characters,
                             const Tokenizer& tokenizer);

// ---- what pushes the embedding of a token

// Contexts that are told apart while training. A token w is pushed where it is read (the gradient
// of the lookup), and, if the output layer shares E, where it is predicted: as the right answer, or
// as a guess while another token came.
enum class PushKind {
    read,    // w after `before`, and `next` was to be predicted
    answer,  // after `before` w came
    guess,   // after `before` another token came, and w got some probability
    none     // the text has fewer contexts than there are places
};
constexpr Token kAnyOther = -1;

struct PushContext {
    PushKind kind = PushKind::none;
    Token before = kAnyOther, next = kAnyOther;  // both kAnyOther: all that have no place
    Index times = 0;                             // in the training part
};

// Each token has 38 places for contexts, in this order: the 20 most frequent pairs of a token
// before it and one after it; one for all other pairs; the 8 most frequent tokens before it; one
// for all other tokens; and again those 8, for the guesses when another token came. A guess after
// any other token has no place: MovedBy (train/moved_by.h) calls the sum of these the rest.
constexpr Index kReadPlaces = 20, kBeforePlaces = 8;
constexpr Index kOtherRead = kReadPlaces, kFirstAnswer = kOtherRead + 1;
constexpr Index kOtherAnswer = kFirstAnswer + kBeforePlaces, kFirstGuess = kOtherAnswer + 1;
constexpr Index kPushPlaces = kFirstGuess + kBeforePlaces;
constexpr Index kPushFrames = 6;  // that record it: those of snapshots, were there six
constexpr Index kMostPushed = 16, kUsuallyPushed = 8;  // tokens

struct PushPlan {
    List<Token> tokens;                // whose ΔE is split
    List<List<PushContext>> contexts;  // kPushPlaces of each
};

// Takes the tokens of config.why; if that is empty, the most frequent tokens of the sentences, but
// no punctuation; if it is "off", or without a text, no token. Throws UsageError for a character
// that has no token, and for too many.
PushPlan plan_pushes(const HistoryConfig& config, const Tokenizer& tokenizer,
                     const std::vector<std::vector<Token>>& sentences,
                     std::span<const Token> train);

// ---- when

// Steps with a frame: 0, 1, 2, 3, 5, 8 … with growing gaps, then with equal gaps, and the last
// step; at most `frames` (which is 2 or more). The first steps of a training change most.
std::vector<Index> frame_steps(Index steps, Index frames);

struct HistoryPlan {
    std::vector<Index> steps;  // of the frames, rising
    std::vector<Index>
        snapshot_steps;             // of the frames with all weights, among them the last; or none
    std::vector<Index> push_steps;  // of the frames that say what pushed the embeddings
    std::vector<std::vector<Token>> sentences;
    std::vector<std::vector<Token>> role_texts;  // on which the heads' roles are measured (roles.h)
    List<Token> watched;                         // in rising order, no token twice
    PushPlan pushes;                             // whose embeddings
    std::vector<HistoryStream> streams;
    std::map<Index, Index> plans;  // of the training (train/config.h)
    double budget = 0;             // bytes of the file without its snapshots; 0 means no limit
    Index frames;                  // asked for, in a training of the steps first planned
    Index snapshots = 0;           // in a training of the steps first planned
    bool by_time = false;          // planned anew on the way (--minutes)

    // Where the steps are planned anew, the later frames follow the newest plan; snapshots lie at
    // the shares of the plan that is followed at their step.
    void follow(const std::map<Index, Index>& newest);
};
bool holds(const std::vector<Index>& rising, Index step);

// A snapshot takes 2 bytes a weight (bf16); all of them together take at most 16 MB.
constexpr double kSnapshotBytes = 2, kMostBytesOfSnapshots = 16e6;
// How many snapshots of a model with `weights` numbers are taken: those asked for, as far as they
// fit.
Index snapshots_of(const HistoryConfig& config, Index weights);
// Which frames hold them: the nearest to 0, 2, 8, 20, 45 and 100 % of the last one's step; fewer
// are spread over these shares, one alone is the last.
std::vector<Index> snapshot_steps(const std::vector<Index>& frames, Index snapshots);

// Tokens of the longest sentence that is watched, and the largest number of sentences.
constexpr Index kLongestSentence = 64, kSentences = 4;

// Throws UsageError for a sentence that is longer than the model's context, and for a character to
// watch that has no token. Without `train` nothing is pushed.
HistoryPlan plan_history(const HistoryConfig& config, const GptConfig& model,
                         const TrainConfig& training, const Tokenizer& tokenizer,
                         std::span<const Token> validation, std::span<const Token> train = {});

// ---- how large

// Bytes: of the start, and of a frame without its snapshot (the sample and the heads of records
// take about 500); and what the budget leaves for frames.
struct HistoryCost {
    double start = 0, frame = 500, room = 0;

    // pushed: bytes that the record of the pushes (history_why) takes.
    HistoryCost(const HistoryConfig& config, const std::vector<HistoryStream>& streams,
                double pushed);
    Index frames(Index wanted) const;  // that fit; at least 2
};

// About how large history.bin will be, in bytes, its snapshots with it; known before the text is
// cut into tokens.
double expected_bytes(const HistoryConfig& config, const GptConfig& model,
                      const TrainConfig& training);

}  // namespace zhuyi
