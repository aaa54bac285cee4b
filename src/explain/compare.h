// One character in two contexts: how its two vectors come to differ, block by block, and by which
// heads.
#pragma once
#include "explain/forward.h"

namespace zhuyi {

struct WorkedComparison {
    struct Side {
        std::vector<std::string> tokens;
        Index query;  // where the character stands
        std::vector<WorkedPrediction> predictions;
    };
    struct Stage {
        enum class Kind { token, embedding, attention, feed_forward, final_norm };
        Kind kind;
        Index block;              // of attention and feed_forward; -1 otherwise
        double cosine, distance;  // of the two vectors
    };
    // What a head adds at the character (mix_h · W_O[h]) in one context and in the other.
    struct Head {
        Index block, head;
        double difference;                               // norm of the difference
        std::vector<std::pair<Index, double>> looks[2];  // most attended positions and weights
    };
    std::string token;
    Side sides[2];
    std::vector<Stage> stages;
    std::vector<Head> heads;  // all of them, the largest difference first
    // Are the texts the same up to the character, itself included? Then a decoder, which sees only
    // that, has the same vectors in both.
    bool same_so_far = false;
    std::optional<Index> later;  // then: a position after the difference that could be asked for
};

// `query`: position in the first text; -1: its last whose token the second text holds, too. In the
// second text the last position of the same token is taken. Throws UsageError when there is no such
// position, or the second text lacks the token.
WorkedComparison worked_comparison(const WorkedModel& model, std::span<const Token> first,
                                   std::span<const Token> second, Index query);
Sheet compare_sheet(const WorkedComparison& comparison);

}  // namespace zhuyi
