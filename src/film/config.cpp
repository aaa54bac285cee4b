#include "film/config.h"

namespace zhuyi {

void declare(Options& options, HistoryConfig& c) {
    options.group({"film of the training", "训练的影片"});
    options.add("history", c.on,
                {"record attention, embeddings and weights as they learn; changes no bit of them",
                 "记录注意力、词向量和权重怎样学成；不改变它们的任何一位"});
    options.add("history_frames", c.frames, "",
                {"moments recorded: dense at first, then evenly", "记录多少帧：开头密，后来均匀"},
                2, 10000);
    options.add("history_budget", c.budget, "MB",
                {"most that history.bin may hold; matrices are thinned first",
                 "history.bin 最多多大；先减少矩阵的帧数"},
                1, 100000);
    options.add("history_probes", c.probes, "",
                {"sentences to watch, | between them; none: chosen from the text",
                 "要观察的句子，用 | 隔开；不写则从文本中选"});
    options.add("history_characters", c.characters, "",
                {"characters to watch besides those of the probes and the most frequent ones",
                 "除探针句和最常见的字以外，还要观察的字"});
    options.add("history_common", c.common, "",
                {"how many of the most frequent characters to watch", "观察多少个最常见的字"}, 0,
                5000);
    options.add(
        "history_block", c.block, "",
        {"the block whose matrices are recorded, counted from 0", "记录第几块的矩阵，从 0 数起"});
}

}  // namespace zhuyi
