#include "film/config.h"

#include "system/options.h"

namespace zhuyi {

void declare(Options& options, HistoryConfig& c) {
    options.group({"history of the training", "训练回放"});
    options.add("history", c.on,
                {"record attention, embeddings and weights as they change; the training is the "
                 "same, bit for bit",
                 "记录注意力、词向量和权重怎样变化；记不记录，训练结果都逐位相同"});
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
    options.renamed("history_probes", "history_sentences");
    options.add("history_characters", c.characters, "",
                {"characters to follow besides those of the sentences and the most frequent ones",
                 "除观察句里的字和最常见的字以外，还要跟踪的字"});
    options.add("history_common", c.common, "",
                {"how many of the most frequent characters to follow", "跟踪多少个最常见的字"}, 0,
                5000);
    options.add(
        "history_block", c.block, "",
        {"the block whose matrices are recorded, counted from 0", "记录第几层的矩阵，从 0 数起"});
}

}  // namespace zhuyi
