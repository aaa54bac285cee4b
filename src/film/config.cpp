// What is recorded of a training: its options, and how many bytes it takes.
#include "film/config.h"

#include <algorithm>

#include "film/history_plan.h"
#include "film/stream_list.h"
#include "model/config.h"
#include "model/parameters.h"
#include "system/options.h"
#include "train/config.h"

namespace zhuyi {

void declare(Options& options, HistoryConfig& c) {
    options.group({"history of the training", "训练回放"});
    options.add("history", c.on,
                {"record attention, embeddings and weights as they change; the training is the "
                 "same, bit for bit",
                 "训练回放：记录注意力、词向量和权重怎样变化；=no：不记录，训练结果逐位相同"});
    options.add("history_frames", c.frames, "",
                {"frames recorded: dense at first, then evenly", "记录多少帧：开头密，后来均匀"}, 2,
                10000);
    options.add("history_budget", c.budget, "MB",
                {"largest size of history.bin; where it is not enough, fewer frames hold matrices",
                 "history.bin 的大小上限；不够时先少记几帧矩阵"},
                1, 100000);
    options.add("history_sentences", c.sentences, "",
                {"sentences to observe, | between them; none: chosen from the text",
                 "观察句，用 | 隔开；不写则从训练文本中选"});
    options.add("history_characters", c.characters, "",
                {"characters to follow besides those of the sentences and the most frequent ones",
                 "除观察句里的字和最常见的字以外，还要跟踪的字"});
    options.add("history_common", c.common, "",
                {"how many of the most frequent characters to follow", "跟踪多少个最常见的字"}, 0,
                5000);
    options.add("history_why", c.why, "",
                {"characters of which it is recorded which contexts pushed their embedding, at "
                 "most 16; none: the 8 most frequent ones of the sentences; off: of no character",
                 "记录哪些字的词向量是被什么上下文推动的，最多 16 个；不写则取观察句中最常见的 8 "
                 "个；off 表示不记录"});
    options.add(
        "history_block", c.block, "",
        {"the block whose matrices are recorded, counted from 0", "记录第几层的矩阵，从 0 数起"});
    options.add("history_snapshots", c.snapshots, "",
                {"snapshots of all weights, with which the page runs the model: at 0, 2, 8, 20, 45 "
                 "and 100 % of the steps; fewer where they would take more than 16 MB, which do "
                 "not count in history_budget",
                 "保存几份完整的权重，网页用它们运行模型：在总步数的 0、2、8、20、45、100 % 处；"
                 "合计超过 16 MB 时少存几份；不计入 history_budget"},
                0, kMostSnapshots);
}

// ---- how large

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
