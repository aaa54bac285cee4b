// Notes on a film about attention, and what the course leaves open.
#include "base/format.h"
#include "explain/course.h"
#include "explain/course_counts.h"
#include "explain/course_pages.h"

namespace zhuyi {

namespace {

constexpr Lesson kNotes[] = {
    {"notes.1",
     {"Why attention", "为什么要注意力"},
     {"A token is looked up alone; what it means depends on what stands around it (a model, a "
      "tower). Attention moves the looked-up copy.",
      "查表时每个 token "
      "各查各的；它的意思却要看上下文（“苹果”是水果还是公司）。注意力移动取出的那份向量。"},
     {"explain {run} --text 摘下一个苹果 --compare 一百股苹果"},
     {"the cosine of both vectors, block by block, and what each predicts",
      "两个向量的余弦怎样逐层变小，以及各自预测什么"},
     {"a column of cosines, one after each branch", "一列余弦，每个分支之后一个"},
     two_meanings_page},
    {"notes.2",
     {"Queries and keys", "查询与键"},
     {"In GPT-3 E is 50257 × 12288 and a query 128 numbers. Nouns ask for adjectives in front, "
      "whose "
      "keys answer.",
      "GPT-3 的 E 是 50257 × 12288，一个查询是 128 "
      "个数。名词找前面的形容词，形容词的键来应答。"},
     {"params configs/gpt3.conf", "attend {run} --text 毛茸茸的蓝色小怪物 {head previous}"},
     {"the row of 物: which characters before it get its weight",
      "“物”那一行：前面哪些字得到了它的权重"},
     {"a triangle, whose last row is that of 物", "一个三角形，最后一行就是“物”"}},
    {"notes.3",
     {"Mask, and the size of the pattern", "掩码，与注意力图的大小"},
     {"What comes later gets −∞ before softmax. The pattern has T² numbers.",
      "后面的 token 在 softmax 之前设为 −∞。注意力图有 T² 个数。"},
     {"explain --example --causal", "params configs/course.conf"},
     {"params: the work at T, 2T and 4T grows like 1, 4, 16",
      "params 里 T、2T、4T 的工作量：×1、×4、×16"},
     {"three rows, T, 2T, 4T, with × 1, × 4, × 16", "三行 T、2T、4T，旁边是 × 1、× 4、× 16"},
     lengths_page},
    {"notes.4",
     {"Value down, value up", "value down 与 value up"},
     {"A value moves the vector of creature towards “fluffy creature”. W_V and a head's rows "
      "of W_O "
      "are one big matrix of low rank.",
      "值把“怪物”的向量移向“毛茸茸的怪物”。W_V 和 W_O "
      "里归这个头的几行，合起来是一个低秩的大矩阵。"},
     {"explain {run} --text 毛茸茸的蓝色小怪物 --sheets mix,output,residual"},
     {"‖Δx‖, and the characters nearest before and after", "‖Δx‖，以及移动前后最近的字"},
     {"weighted rows, the sum of all heads, and which characters are near before and after",
      "乘上权重的各行、各头之和、移动前后最近的字"},
     spectrum_page},
    {"notes.5",
     {"Counting GPT-3", "数一数 GPT-3"},
     {"Embedding 617,558,016; queries, keys, value down, value up 14,495,514,624 each.",
      "词向量 617,558,016；查询、键、value down、value up 各 14,495,514,624。"},
     {"params configs/gpt3.conf"},
     {"the table by kind", "分类的合计"},
     {"a table by kind; the embedding has 617,558,016", "按种类合计的表；词向量 617,558,016"}},
    {"notes.6",
     {"Shapes for 1000 tokens", "1000 个 token 的形状"},
     {"With columns as tokens: pattern (1000, 1000), values (128, 1000), 96 of them (12288, "
      "1000).",
      "按列放 token：注意力图 (1000, 1000)，值 (128, 1000)，96 个头合起来 (12288, 1000)。"},
     {"params configs/gpt3.conf --tokens 1000"},
     {"the same shapes with rows as tokens", "同样的形状，这里按行放 token"},
     {"one line a step, from [B, T] to [B, T, V]", "每步一行，从 [B, T] 到 [B, T, V]"}},
};

}  // namespace

std::span<const Lesson> lessons_of_notes() { return kNotes; }

std::vector<Erratum> errata_of_notes() {
    const Index C = 12288, V = 50257, D = 128;
    const Index one = 96LL * 96 * D * C, ffn = 96LL * 2 * C * 4 * C;
    return {
        {"E15",
         "notes.5",
         {"n_vocab = 50,527", "n_vocab = 50,527"},
         say({"50,257, with two digits swapped: 12,288 · 50,257 = %s is right, 12,288 · 50,527 "
              "would be %s",
              "是 50,257（两位写反了）：12,288 · 50,257 = %s 是对的，12,288 · 50,527 会是 %s"},
             grouped(C * V), grouped(C * 50527))},
        {"E16",
         "notes.2",
         {"the query space is 128 × 128", "查询空间是 128 × 128"},
         {"it has 128 dimensions; W_Q is 128 × 12288", "是 128 维；W_Q 是 128 × 12288"}},
        {"E17",
         "notes.4",
         {"value down (12288, 128), value up (128, 12288)",
          "value down (12288, 128)，value up "
          "(128, 12288)"},
         say({"with its own columns: down (128, 12288), up (12288, 128), or down · E does not fit. "
              "The full "
              "matrix has %s numbers, the pair %s: %td times fewer",
              "按它自己的列写法：down (128, 12288)，up (12288, 128)，否则 down · E "
              "乘不起来。整个矩阵有 %s 个数，这"
              "一对只有 %s 个，少 %td 倍"},
             grouped(C * C), grouped(2 * C * D), C * C / (2 * C * D))},
        {"E18",
         "notes.5",
         {"GPT-3 has 96 heads", "GPT-3 有 96 个头"},
         say({"96 in each of 96 layers: %td. So queries are 96 · 96 · 128 · 12288 = %s, all four "
              "%s; with the FFN %s "
              "and two embeddings the film's total is %s (one embedding is tied in GPT-2: then %s)",
              "96 层，每层 96 个：%td 个。查询共 96 · 96 · 128 · 12288 = %s，四种合计 %s；加上 FFN "
              "%s 和两份词向量，就是"
              "视频里的总数 %s（GPT-2 的词向量只有一份，那就是 %s）"},
             Index(96 * 96), grouped(one), grouped(4 * one), grouped(ffn),
             grouped(4 * one + ffn + 2 * C * V), grouped(4 * one + ffn + C * V))},
    };
}

namespace {

constexpr Lesson kMore[] = {
    {"more.1",
     {"A baseline that can be met", "可以达到的基线"},
     {"An entropy counted on the text itself is below what anybody can reach on new text. The "
      "fair "
      "baseline counts on the training part and is asked on the validation part.",
      "在文本本身上数出来的熵，谁在新文本上都达不到。公平的基线是：在训练集上计数，在验证集上检"
      "验。"},
     {"data data/village.txt", "eval {run}"},
     {"unigram, bigram and trigram model on held-out text, beside the loss of the run",
      "一元、二元、三元模型在验证集上的损失，与模型的损失对照"},
     {"three lines, unigram, bigram, trigram, in nats and bits per character",
      "一元、二元、三元三行，单位是奈特/字符和比特/字符"}},
    {"more.2",
     {"KV cache", "KV 缓存"},
     {"In generation only the last row asks: the keys and values of what was read are kept. "
      "Without "
      "them every character would compute the whole text again: T² rows in place of T.",
      "生成时只有最后一行提问：已读部分的键和值保存下来（KV "
      "缓存）。没有它，每写一个字都要把全文重算一遍："
      "T² 行，而不是 T 行。"},
     {"sample {run} --prompt 小沈阳 --tokens 60",
      "sample {run} --prompt 小沈阳 --tokens 60 --cache=no"},
     {"the same text, slower; zhuyi bench says how many characters a second",
      "文字一样，时间更长；zhuyi bench 会量出每秒写多少字"},
     {"twice the same text", "两段一样的文字"},
     cache_page},
    {"more.3",
     {"LLaMA beside GPT", "LLaMA 与 GPT"},
     {"LLaMA has rotary positions, RMSNorm, an FFN of three matrices and an output layer of "
      "its own; "
      "the larger ones share keys between heads.",
      "LLaMA 用旋转位置编码、RMSNorm、三个矩阵的 "
      "FFN，输出层不与词向量共用；大的版本几个头共用一组键和值。"},
     {"params configs/gpt2.conf --compare"},
     {"attention and the whole, beside GPT-2 and GPT-3",
      "注意力部分和整个模型，与 GPT-2、GPT-3 并排"},
     {"rows from GPT-2 to LLaMA", "从 GPT-2 到 LLaMA 的各行"},
     [](Sheet& sheet, const CourseRun&) {
         Sheet::Table& table = sheet.list("llama", {{"weights", "参数"}});
         for (const Llama& llama : llamas()) table.add(llama.name, {grouped(llama.weights())});
     }},
    {"more.4",
     {"Post-LN and pre-LN", "post-LN 与 pre-LN"},
     {"2017: x = LayerNorm(x + branch(x)), “Add & Norm”. GPT-2 and zhuyi: x = x + "
      "branch(LayerNorm(x)), "
      "and one more LayerNorm after the last block.",
      "2017 年的论文：x = LayerNorm(x + 分支(x))，即 Add & Norm。GPT-2 和 zhuyi：x = x + "
      "分支(LayerNorm(x))，"
      "最后一层之后再做一次 LayerNorm。"},
     {"explain {run} --text 猫吃鱼 --sheets stack,prediction"},
     {"‖x‖ from block to block: on the trunk nothing brings it back",
      "‖x‖ 一层一层怎样变：主干上没有什么把它缩回去"},
     {"a column ‖x‖, one after each branch", "一列 ‖x‖，每个分支之后一个"},
     growth_page},
};

}  // namespace

std::span<const Lesson> lessons_of_more() { return kMore; }

}  // namespace zhuyi
