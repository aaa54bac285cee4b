// Rotary positions on real numbers: a query and a key before and after their turn, and their score
// when both move on together.
#pragma once
#include "explain/head.h"
#include "explain/pass.h"

namespace zhuyi {

struct WorkedRotation {
    // One pair of channels, the first, of the query and of one key: the most attended of those
    // before the query.
    struct Turn {
        Index position;
        double angle;  // radians
        double cosine, sine;
        double a, b;                // channels 0 and d_k / 2 before,
        double a_turned, b_turned;  // and after
    } query, key;
    Numbers speeds;  // (d_k / 2): radians by which each pair turns from one position to the next
    // q' · k' with the two at these positions.
    struct Score {
        Index query, key;
        double product;
    };
    std::vector<Score> scores;
};

// Q, K (T, d_k): before the turn; after it they stand in the head.
WorkedRotation worked_rotation(const WorkedText& text, const Grid& Q, const Grid& K,
                               const WorkedHead& head);
void write_rotation(Sheet& sheet, const WorkedText& text, const WorkedHead& head,
                    const WorkedRotation& rotation);

}  // namespace zhuyi
