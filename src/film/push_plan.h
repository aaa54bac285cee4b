// Which contexts push the embedding of a token, and are told apart while training. A token w is
// pushed where it is read (the gradient of the lookup), and, if the output layer shares E, where it
// is predicted: as the right answer, or as a guess while another token came.
#pragma once
#include <array>
#include <span>
#include <string>
#include <vector>

#include "base/real.h"

namespace zhuyi {

class Tokenizer;
struct HistoryConfig;

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

// The places: pairs around w, most frequent first, and all other pairs; tokens before w, and all
// others; the same tokens, where another one came. A guess after any other token has none: it is
// what MovedBy (explain/moved_by.h) calls the rest.
constexpr Index kReadPlaces = 20, kBeforePlaces = 8;
constexpr Index kOtherRead = kReadPlaces, kFirstAnswer = kOtherRead + 1;
constexpr Index kOtherAnswer = kFirstAnswer + kBeforePlaces, kFirstGuess = kOtherAnswer + 1;
constexpr Index kPushPlaces = kFirstGuess + kBeforePlaces;
constexpr Index kPushFrames = 6;  // that record it: those of snapshots, were there six
constexpr Index kMostPushed = 16, kUsuallyPushed = 8;  // tokens

struct PushPlan {
    std::vector<Token> tokens;  // whose ΔE is split
    std::vector<std::array<PushContext, std::size_t(kPushPlaces)>> contexts;
};

// The tokens of config.why; if it is empty, the most frequent ones of the sentences that are no
// punctuation; none for "off", and where there is no text. Throws UsageError for a character that
// has no token, and for too many.
PushPlan plan_pushes(const HistoryConfig& config, const Tokenizer& tokenizer,
                     const std::vector<std::vector<Token>>& sentences,
                     std::span<const Token> train);

}  // namespace zhuyi
