#include "film/config.h"

#include "system/options.h"

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
                {"largest size of history.bin; where it is not enough, there are fewer frames",
                 "history.bin 的大小上限；不够时少记几帧"},
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
    options.retired("history_block");  // the page takes every matrix from the snapshots
    options.add("history_snapshots", c.snapshots, "",
                {"snapshots of all weights, with which the page runs the model: at 0, 2, 8, 20, 45 "
                 "and 100 % of the steps; fewer where they would take more than 16 MB, which do "
                 "not count in history_budget",
                 "保存几份完整的权重，网页用它们运行模型：在总步数的 0、2、8、20、45、100 % 处；"
                 "合计超过 16 MB 时少存几份；不计入 history_budget"},
                0, kMostSnapshots);
    options.add("report_text", c.report_text,
                {"the page holds the text, at most 500,000 tokens of it, so that the reader can "
                 "train a model from step 0, or teach a sentence beside documents",
                 "网页里放训练文本（至多 50 万个 token），读者可以从第 0 步训练一个模型，教一句话时"
                 "可以一起复习；=no：不放"});
}

}  // namespace zhuyi
