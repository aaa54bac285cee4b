#include "film/history_size.h"

#include <algorithm>

#include "film/config.h"
#include "film/history_plan.h"
#include "film/stream_list.h"
#include "model/config.h"
#include "model/parameters.h"
#include "train/config.h"

namespace zhuyi {

HistoryCost cost_of(const std::vector<HistoryStream>& streams) {
    HistoryCost cost;
    for (const HistoryStream& stream : streams) {
        const bool matrix = stream.every == 0 && !stream.once();
        (stream.once() ? cost.start : matrix ? cost.matrices : cost.frame) += stream.bytes();
    }
    return cost;
}

double room_for_frames(const HistoryConfig& config, const HistoryCost& cost) {
    return std::max(0.9e6 * double(config.budget) - cost.start, 0.0);
}
Index frames_within(const HistoryConfig& config, const HistoryCost& cost) {
    return std::max<Index>(
        2, std::min(Index(room_for_frames(config, cost) / cost.frame), config.frames));
}
Index matrices_within(const HistoryCost& cost, double room, Index frames) {
    return Index((room - double(frames) * cost.frame) / cost.matrices);
}

double expected_bytes(const HistoryConfig& config, const GptConfig& model,
                      const TrainConfig& training) {
    if (!config.on) return 0;
    constexpr Index kUsualSentence = 10, kCurve = 4096, kNoBudgetHolds = Index(1) << 30;
    constexpr double kPoint = 48;  // a record of the curve, with its head and checksum
    const std::vector<Parameter> table = parameter_table(model);
    const Index sentence = std::min(model.context, kUsualSentence);
    // Few of the 256 bytes stand in a text by themselves.
    const Index characters = std::max<Index>(model.vocabulary - 257, 1);
    Recorded recorded;
    recorded.parameters = std::ssize(table);
    recorded.watched = std::min(config.common, characters) + sentence;
    recorded.channels = model.channels, recorded.blocks = model.layers;
    recorded.heads = model.heads;
    recorded.sentences.assign(std::size_t(kSentences), sentence);
    for (const Parameter& p : table)
        if (p.block == config.block && p.shape.rank() == 2 && p.shape.size() < kNoBudgetHolds)
            recorded.matrices.push_back(row_of(p));
    HistoryCost cost = cost_of(stream_list(recorded, {0}));
    cost.start += 4.0 * double(kPushFrames * kUsuallyPushed * kPushPlaces * model.channels);
    const Index frames = std::ssize(frame_steps(training.steps, frames_within(config, cost)));
    const Index fit = matrices_within(cost, room_for_frames(config, cost), frames);
    const Index every = fit > 0 ? (frames + fit - 1) / fit : frames + 1;
    return cost.start + double(frames) * cost.frame + double(frames / every) * cost.matrices +
           double(std::min(training.steps, kCurve)) * kPoint +
           double(snapshots_of(config, zhuyi::count(table))) * kSnapshotBytes *
               double(zhuyi::count(table));
}

}  // namespace zhuyi
