// Explanations that mislead, and the right ones.
#include <algorithm>

#include "base/format.h"
#include "explain/course.h"
#include "explain/course_counts.h"

namespace zhuyi {
namespace {

// As Erratum; nothing in it is computed.
struct Misleading {
    const char *name, *lesson;
    Words printed, right;
};

constexpr Misleading kOf9[] = {
    {"M1",
     "9.4",
     {"Q = X · W, or Q = W · E", "Q = X · W，或者 Q = W · E"},
     {"both: the course, tutorial and essay take rows as tokens and W as [in, out], as zhuyi "
      "does; the "
      "notes take columns and W as [out, in]; nn.Linear stores [out, in] and multiplies by the "
      "transpose",
      "两种写法都对：课程、教程、短文按行放 token，W 是 [输入, 输出]，zhuyi "
      "也这样；笔记按列放，W 是 [输出, "
      "输入]；nn.Linear 按 [输出, 输入] 存放，乘的是转置"}},
    {"M8",
     "9.3",
     {"every word sees all others (sat → mat, it → hungry, 苹果 → 好吃)",
      "每个词看得到所有词（sat → mat，it → hungry，苹果 → 好吃）"},
     {"a GPT sees itself and what came before: 苹果 at the beginning has the same vectors in "
      "both "
      "sentences (zhuyi course tutorial.4)",
      "GPT 只看得到自己和前面的 token：“苹果”在句首，两句话里的向量完全相同（zhuyi course "
      "tutorial.4）"}},
    {"M12",
     "9.9",
     {"cross-attention beside GPT", "把交叉注意力和 GPT 放在一起讲"},
     {"no GPT has it: W_K and W_V there read another sequence, without a mask",
      "GPT 里没有：那里的 W_K、W_V 读的是另一个序列，不加掩码"}},
    {"M13",
     "9.2",
     {"a list of pre-LN beside the figure of 2017", "列的是 pre-LN 的次序，配的是 2017 年的图"},
     {"that figure is post-LN (Add & Norm); GPT-2 and zhuyi are pre-LN, with one more "
      "LayerNorm at the end "
      "(zhuyi course more.4)",
      "那张图是 post-LN（Add & Norm）；GPT-2 和 zhuyi 是 pre-LN，最后还有一个 LayerNorm（zhuyi "
      "course more.4）"}},
    {"M14",
     "9.2",
     {"residual + dropout", "残差 + dropout"},
     {"x + dropout(branch(LN(x))): dropout on the branch, before the addition",
      "x + dropout(分支(LN(x)))：dropout 在分支上，相加之前"}},
    {"M15",
     "9.2",
     {"W_Q … W_O inside “Scaled Dot-Product Attention”", "W_Q … W_O 画在“缩放点积注意力”里面"},
     {"that box is only Q·Kᵀ … ·V; projections, concatenation and W_O belong to multi-head "
      "attention",
      "那个框只有 Q·Kᵀ … ·V；投影、拼接和 W_O 属于多头注意力"}},
    {"M19",
     "9.8",
     {"opposite directions → weight about 0", "方向相反 → 权重约为 0"},
     {"only differences count: scores −1 and −1 give 0.5 and 0.5; one key alone always gets 1",
      "起作用的只有差：分数 −1、−1 得到 0.5、0.5；只有一个键时总是 1"}},
    {"M21",
     "9.3",
     {"an RNN is slower the longer the text", "RNN 越长越慢"},
     {"attention too: T² work. Its gain: all positions at once, any two one step apart",
      "注意力也一样，而且是 T²。它赢在所有位置同时计算，任意两个只隔一步"}},
};

constexpr Misleading kOf12[] = {
    {"M3",
     "12.6",
     {"V is the original text, X", "V 就是原文 X"},
     {"V = X · W_V, and X is the LayerNorm of this block's input: neither the text nor the row "
      "of E",
      "V = X · W_V，X 是这一层输入的 LayerNorm：既不是原文，也不是 E 的那一行"}},
    {"M4",
     "12.7",
     {"attention updates the token embedding", "注意力更新了词向量"},
     {"forward, attention moves the copy x of this text and forgets it; only the optimizer, "
      "after "
      "backward, changes the table E",
      "前向传播时，注意力移动的是取出的 x，算完就忘；只有反向传播之后，优化器才改变表 E"}},
    {"M5",
     "12.4",
     {"in the next block the values are updated again", "到下一层，参数又更新一次"},
     {"all blocks' weights change together, once a step, after backward",
      "所有层的参数在反向传播之后一起更新，每步一次"}},
    {"M6",
     "12.4",
     {"all heads share one W_Q", "所有头共用一个 W_Q"},
     {"one matrix on paper; each head owns its 128 columns, no weight serves two heads (of W_O "
      "its 128 "
      "rows)",
      "写成一个矩阵而已；每个头有自己的 128 列，没有一个参数同时属于两个头（W_O 则是各占 128 "
      "行）"}},
    {"M7",
     "12.8",
     {"two kinds of parameters", "只有两类参数"},
     {"also W_1 and W_2 (twice as many as attention), positions, γ and β, biases (params lists "
      "them)",
      "还有 W_1、W_2（是注意力的两倍）、位置、γ 和 β、偏置（params 全部列出）"}},
    {"M9",
     "12.5",
     {"Q × K is the percentage", "Q × K 就是百分比"},
     {"it is the score; the weights come after ÷√d_k, mask and softmax",
      "那是分数；经过 ÷√d_k、掩码和 softmax 才是权重"}},
    {"M11",
     "12.2",
     {"one query 成 over a past; then a square map", "先是一个查询“成”，后来又是方阵"},
     {"generation with a KV cache asks one row, training asks all rows at once",
      "用 KV 缓存生成时只有一行提问；训练时所有行一起提问"}},
    {"M16",
     "13",
     {"LayerNorm cures internal covariate shift", "LayerNorm 解决内部协变量偏移"},
     {"that is BatchNorm's slogan; LayerNorm brings each position to mean 0 and variance 1, "
      "then γ and β",
      "那是 BatchNorm 的说法；LayerNorm 把每个位置变成均值 0、方差 1，再乘 γ、加 β"}},
    {"M17",
     "13",
     {"the residual connection skips layers", "残差连接跳过了层"},
     {"nothing is skipped: x passes unchanged and each branch adds to it, so gradients have an "
      "open road",
      "什么也没有跳过：x 原样通过，每个分支往上加，所以梯度的路是通的"}},
    {"M24",
     "12.8",
     {"Q, K, V do not predict", "Q、K、V 不负责预测"},
     {"their weights have no other teacher than the loss of the next token",
      "它们的参数没有别的老师，只有“预测下一个 token”的损失"}},
};

constexpr Misleading kOfTheOthers[] = {
    {"M2",
     "notes.3",
     {"the mask is lower left", "掩码在左下角"},
     {"upper right, where rows ask; lower left only in the film's grid, whose columns ask",
      "按行提问时在右上角；只有视频的图按列提问，才在左下角"}},
    {"M10",
     "notes.2",
     {"the query of a word", "一个词的查询"},
     {"of a position, in a layer and a head, from x with its context; the same word elsewhere "
      "asks otherwise",
      "是某层、某头里一个位置的查询，由带着上下文的 x 算出；同一个词在别处，问的不一样"}},
    {"M18",
     "notes.2",
     {"fluffy attends to creature", "fluffy 注意 creature"},
     {"said of the query: creature attends to fluffy and blue",
      "从查询来说，是 creature 注意 fluffy 和 blue"}},
    {"M20",
     "essay.2",
     {"softmax makes large larger and steadies gradients", "softmax 让大的更大，并稳定梯度"},
     {"the ratio is e^(difference): 猫 吃 鱼 stays nearly even (0.317 to 0.346). Where "
      "differences are large "
      "it saturates and gradients vanish: √d_k is the cure. Weights lie in (0, 1); only a mask "
      "gives 0",
      "比值是 e^(差)：“猫 吃 鱼”几乎平均（0.317 到 0.346）。差很大时它饱和，梯度消失：解药是 "
      "√d_k。权重在 0 "
      "与 1 之间，只有掩码能给出 0"}},
    {"M22",
     "notes.3",
     {"a mask in training; tokens come one by one", "训练时加掩码；token 一个一个来"},
     {"training reads all positions at once, so without a mask it could copy the answer; in "
      "generation "
      "later tokens do not exist yet",
      "训练时所有位置一起读，没有掩码就能照抄答案；生成时，后面的 token 还不存在"}},
    {"M25",
     "tutorial.3",
     {"他 means the nearest name", "“他”指最近的人名"},
     {"a habit, not a rule: measure it (zhuyi course tutorial.3)",
      "这是习惯，不是规则：要量（zhuyi course tutorial.3）"}},
    {"M26",
     "notes.6",
     {"the dot product of matrices", "矩阵的点积"},
     {"matrix product: a dot product for each row and column",
      "是矩阵乘法：每行与每列各做一次点积"}},
    {"M27",
     "tutorial.5",
     {"scaling is step 3", "第 3 步是缩放"},
     {"it is listed, and skipped by hand (6.3). (In the course, 12.2.2 stands twice.)",
      "列了出来，手算时（6.3）却跳过了。（课程里 12.2.2 出现了两次。）"}},
};

}  // namespace

std::vector<Erratum> misleading() {
    std::vector<Erratum> all{
        {"M23",
         "12.4",
         {"nn.MultiheadAttention as the course's block",
          "拿 nn.MultiheadAttention 当课程里的注意力"},
         say({"it wants [16, 4, 512] unless batch_first, has no mask by itself, has biases (%s "
              "weights in all), "
              "and returns the mean of the heads (average_attn_weights=False: [1, 2, 3, 3])",
              "不设 batch_first 时它要 [16, 4, 512]；自己不加掩码；有偏置（共 %s "
              "个参数）；返回的是各头平均"
              "（average_attn_weights=False 才是 [1, 2, 3, 3]）"},
             grouped(4 * 512 * 512 + 4 * 512))}};
    const auto add = [&](std::span<const Misleading> part) {
        for (const Misleading& m : part)
            all.push_back({m.name, m.lesson, say(m.printed), say(m.right)});
    };
    add(kOf9), add(kOf12), add(kOfTheOthers);
    std::ranges::sort(all, {}, [](const Erratum& e) { return std::stoi(e.name.substr(1)); });
    return all;
}

}  // namespace zhuyi
