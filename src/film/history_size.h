// How large a history will be, and how many frames fit into its budget.
#pragma once
#include <vector>

#include "base/real.h"
#include "film/stream.h"

namespace zhuyi {

struct GptConfig;
struct HistoryConfig;
struct TrainConfig;

// Bytes: of the start, of a frame without matrices, and of the matrices in a frame.
struct HistoryCost {
    double start = 0, frame = 500, matrices = 0;  // the sample, and the heads of records
};
HistoryCost cost_of(const std::vector<HistoryStream>& streams);
// Bytes for frames. The evaluations and the curve take little; a tenth is kept for them.
double room_for_frames(const HistoryConfig& config, const HistoryCost& cost);
// At least 2.
Index frames_within(const HistoryConfig& config, const HistoryCost& cost);
// How many of `frames` frames may hold matrices; 0 or less: none.
Index matrices_within(const HistoryCost& cost, double room, Index frames);

// About how large history.bin will be, in bytes, its snapshots with it; known before the text is
// cut into tokens.
double expected_bytes(const HistoryConfig& config, const GptConfig& model,
                      const TrainConfig& training);

}  // namespace zhuyi
