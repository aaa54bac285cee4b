#include <algorithm>

#include "film/config.h"
#include "film/history_plan.h"
#include "film/stream_list.h"
#include "model/config.h"
#include "model/parameters.h"
#include "train/config.h"

namespace zhuyi {

// The evaluations and the curve take little; a tenth of the budget is kept for them.
HistoryCost::HistoryCost(const HistoryConfig& config, const std::vector<HistoryStream>& streams,
                         double pushed) {
    for (const HistoryStream& stream : streams) {
        const bool matrix = stream.every == 0 && !stream.once();
        (stream.once() ? start : matrix ? matrices : frame) += stream.bytes();
    }
    start += pushed;
    room = std::max(0.9e6 * double(config.budget) - start, 0.0);
}

Index HistoryCost::frames(Index wanted) const {
    return std::max<Index>(2, std::min(Index(room / frame), wanted));
}

Index HistoryCost::matrices_every(Index frames) const {
    const auto fit = matrices > 0 ? Index((room - double(frames) * frame) / matrices) : Index(0);
    return fit > 0 ? (frames + fit - 1) / fit : 0;
}

Recorded recorded_of(const GptConfig& model, const std::vector<Parameter>& table, Index block) {
    constexpr Index kNoBudgetHolds = Index(1) << 30;
    Recorded recorded;
    recorded.parameters = std::ssize(table);
    recorded.channels = model.channels, recorded.blocks = model.layers;
    recorded.heads = model.heads;
    for (const Parameter& p : table)
        if (p.block == block && p.shape.rank() == 2 && p.shape.size() < kNoBudgetHolds)
            recorded.matrices.push_back(row_of(p));
    return recorded;
}

double expected_bytes(const HistoryConfig& config, const GptConfig& model,
                      const TrainConfig& training) {
    if (!config.on) return 0;
    constexpr Index kUsualSentence = 10, kCurve = 4096;
    constexpr double kPoint = 48;  // a record of the curve, with its head and checksum
    const std::vector<Parameter> table = parameter_table(model);
    const Index sentence = std::min(model.context, kUsualSentence), weights = count(table);
    // Few of the 256 bytes stand in a text by themselves.
    const Index characters = std::max<Index>(model.vocabulary - 257, 1);
    Recorded recorded = recorded_of(model, table, config.block);
    recorded.watched = std::min(config.common, characters) + sentence;
    recorded.sentences.assign(std::size_t(kSentences), sentence);
    const HistoryCost cost(
        config, stream_list(recorded, {0}),
        4.0 * double(kPushFrames * kUsuallyPushed * kPushPlaces * model.channels));
    const Index frames = std::ssize(frame_steps(training.steps, cost.frames(config.frames)));
    const Index every = cost.matrices_every(frames);
    const double with_matrices = every > 0 ? double(frames / every) : 0;
    return cost.start + double(frames) * cost.frame + with_matrices * cost.matrices +
           double(std::min(training.steps, kCurve)) * kPoint +
           double(snapshots_of(config, weights)) * kSnapshotBytes * double(weights);
}

}  // namespace zhuyi
