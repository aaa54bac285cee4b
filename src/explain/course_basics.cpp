// Chapters 4 to 8, 10, 11 and 13 of the course.
#include "attention/neighbors.h"
#include "base/format.h"
#include "explain/course.h"
#include "explain/course_pages.h"
#include "explain/forward.h"
#include "model/gpt.h"
#include "model/parameters.h"
#include "text/tokenizer.h"

namespace zhuyi {
namespace {

void tokens_of_run(Sheet& sheet, const CourseRun& run) {
    const std::string text = "小沈阳，你好龘";
    const std::vector<Token> ids = run.model.tokenizer.encode(text);
    sheet.text({"In this run %s is %zu tokens; its table E has %td rows of %td numbers.",
                "在这个模型里，“%s”是 %zu 个 token；它的词向量表 E 有 %td 行，每行 %td 个数。"},
               text, ids.size(), run.model.model.config().vocabulary,
               run.model.model.config().channels);
    const std::vector<Token> cat = run.model.tokenizer.encode("猫");
    if (cat.size() != 1) return;
    const auto near = nearest(run.model.value("embedding.token").row_copy(cat[0]),
                              run.model.parameters.tensor("embedding.token"),
                              possible_neighbours(run.model.tokenizer), 6);
    std::string names;
    for (const Neighbour& n : near)
        if (n.token != cat[0])
            names += "  " + run.model.tokenizer.name(n.token) + format(" %.3f", n.cosine);
    sheet.text({"Nearest to 猫 (cosine):%s", "离“猫”最近的（余弦相似度）：%s"}, names);
}

}  // namespace

namespace {

constexpr Lesson kBasics[] = {
    {"4",
     {"Text, tokens, rows of E", "文字、token、词向量表 E"},
     {"A text is cut into tokens; a token's id is the number of its row in the table E; that "
      "row "
      "is its vector. What the table lacks is spelt in bytes.",
      "文字先切成 token；token 编号就是词向量表 E "
      "的行号，这一行就是它的词向量。词表里没有的字，"
      "拆成字节。"},
     {"tokens {run} 小沈阳，你好龘", "neighbors {run} 猫"},
     {"the column of bytes: 龘 takes three tokens of one byte each",
      "“字节”一列：“龘”不在词表里，占 3 个 token，每个 1 字节"},
     {"one row a token", "每个 token 一行"},
     tokens_of_run},
    {"5",
     {"The order of the tokens", "先后次序从哪里来"},
     {"Attention alone does not know who stands where. The course adds a row P[position] to "
      "each "
      "vector (x = E[token] + P[position]); rotary positions turn q and k instead.",
      "注意力本身不知道谁在前、谁在后。课程的办法是给每个向量加上 P[位置]：x = E[token] + "
      "P[位置]；"
      "旋转位置编码（RoPE）则按位置旋转 q 和 k。"},
     {"explain {run} --text 猫吃鱼 --sheets embedding",
      "explain {run} --text 猫鱼吃 --compare 鱼猫吃",
      "compare configs/village.conf --vary position=learned,rotary --steps 10 --out "
      "{run}_position"},
     {"the second command: both texts end in 吃 and hold the same characters in front, in another "
      "order; "
      "the third trains both kinds of positions (whole trainings without --steps): which rules "
      "does each know?",
      "第二个命令：两段文字都以“吃”结尾，前面的字一样，只是次序不同；第三个：两种位置编码各训练一次"
      "（去掉 --steps 就训练到底），看各懂得哪些规则"},
     {"bands that turn slower and slower to the right", "一条条明暗相间的带子，越往右变得越慢"},
     positions_page},
    {"6",
     {"LayerNorm and softmax", "LayerNorm 与 softmax"},
     {"LayerNorm brings a vector to mean 0 and variance 1, then scales and shifts it by γ and "
      "β. "
      "Softmax turns scores into shares that add up to 1.",
      "LayerNorm 把一个向量变成均值 0、方差 1，再乘 γ、加 β。softmax 把分数变成比例，加起来是 "
      "1。"},
     {"explain {run} --text 猫吃鱼 --sheets norm_1", "explain --example softmax"},
     {"x, n, γ, β, X row by row; then exp and its sum",
      "逐行看 x、n、γ、β、X；再看 exp 和它们的和"},
     {"a table of five rows (x, n, γ, β, X), and one whose last column adds up to 1",
      "一张五行的表（x、n、γ、β、X），和一张最后一列加起来是 1 的表"}},
    {"7",
     {"The FFN, and what it remembers", "FFN，以及它记住了什么"},
     {"Each position by itself is widened (W_1), bent (GELU) and narrowed (W_2). A row of W_2 "
      "is "
      "what a unit adds when it fires: so the FFN is read as a memory of pairs key → value.",
      "每个位置各算各的：升维（W_1）、非线性激活（GELU）、降维（W_"
      "2）。一个单元被激活时，加上的就是 "
      "W_2 的一行；所以可以把 FFN 看作“键 → 值”的记忆。"},
     {"explain {run} --text 他买的苹果 --layer 1 --sheets feed_forward"},
     {"how many of the units are above 0 before GELU", "GELU 之前，有多少个单元大于 0"},
     {"a row of F numbers before and after GELU; below, where units fire",
      "GELU 前后各一行 F 个数；下面是各单元在哪里激活"},
     memory_page},
    {"8",
     {"Matrices and dot products", "矩阵与点积"},
     {"A linear map is a product with a matrix: each number of the result is the dot product "
      "of the "
      "row with a column.",
      "线性变换就是乘以一个矩阵：结果的每个数，都是这一行与矩阵某一列的点积。"},
     {"explain --example query", "explain --example dot"},
     {"q = 0.38 0.48 0.58, each a sum of four products",
      "q = 0.38 0.48 0.58，每个数都是四个乘积之和"},
     {"three sums of four products each", "三个和，每个是四个乘积相加"}},
    {"10",
     {"Query, key and value", "查询、键、值"},
     {"Q = X · W_Q asks, K = X · W_K can be found, V = X · W_V is handed over. X is the "
      "LayerNorm of "
      "what flows into the block.",
      "Q = X · W_Q 是“我找什么”，K = X · W_K 是“凭什么找到我”，V = X · W_V "
      "是“找到后交出什么”。X 是"
      "流进这一层的向量经过 LayerNorm 的结果。"},
     {"explain --example", "explain {run} --text 猫吃鱼 --sheets projections,similarity"},
     {"X · Xᵀ is symmetric, Q · Kᵀ is not: who looks at whom need not be mutual",
      "X · Xᵀ 是对称的，Q · Kᵀ 不是：谁看谁，不必相互"},
     {"two squares side by side: one is its own mirror image, the other is not",
      "两个方阵：一个沿对角线对称，另一个不对称"}},
    {"11",
     {"softmax(Q Kᵀ / √d_k) · V", "softmax(Q Kᵀ / √d_k) · V"},
     {"Each row of weights takes its share of every V it may see. With the causal mask the "
      "first "
      "row sees only itself.",
      "每行注意力权重按比例从看得到的 V 里各取一份。加上因果掩码，第一行只看得到自己。"},
     {"explain --example", "explain --example --causal"},
     {"with --causal: row 猫 = 1, row 吃 = 0.4925 0.5075",
      "加 --causal 之后：“猫”那一行是 1，“吃”那一行是 0.4925 0.5075"},
     {"three rows of shares, each of sum 1; with --causal a triangle",
      "三行比例，每行之和为 1；加 --causal 后成为三角形"}},
    {"13",
     {"Residual connection, LayerNorm, and the way of the gradient",
      "残差连接、LayerNorm 与梯度的路"},
     {"x + branch(LayerNorm(x)): x passes unchanged, every branch adds to it. So the gradient "
      "has an "
      "open road back to the embedding.",
      "x + 分支(LayerNorm(x))：x "
      "原样通过，每个分支只往上加。所以梯度有一条畅通的路，可以一直传回词向量。"},
     {"explain {run} --text 猫吃鱼 --backward --target ， --sheets residual,stack,d_residual"},
     {"‖dx‖ block by block: it does not die away", "‖dx‖ 一层一层地看：它没有消失"},
     {"a column of ‖dx‖, from the last block down to the embedding",
      "一列 ‖dx‖，从最后一层一直到词向量"},
     residual_page},
};

}  // namespace

std::span<const Lesson> lessons_of_basics() { return kBasics; }

}  // namespace zhuyi
