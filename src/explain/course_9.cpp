// Chapter 9 of the course: attention as geometry.
#include <cmath>

#include "base/format.h"
#include "base/grid.h"
#include "explain/course.h"
#include "explain/course_pages.h"
#include "explain/examples.h"

namespace zhuyi {

namespace {

constexpr Lesson kChapter9[] = {
    {"9.2",
     {"One block in order", "一层里的次序"},
     {"LayerNorm → attention → + x → LayerNorm → FFN → + x. Inside attention: Q, K, V; Q·Kᵀ; "
      "÷√d_k; "
      "mask; softmax; ·V; the heads side by side; ·W_O.",
      "LayerNorm → 注意力 → 加回 x → LayerNorm → FFN → 加回 "
      "x。注意力内部：Q、K、V；Q·Kᵀ；÷√d_k；掩码；"
      "softmax；·V；拼接各头；·W_O。"},
     {"params configs/course.conf", "report {run}"},
     {"the last table of params: every shape on the way; panel 模型 of the report: click a "
      "part",
      "params 的最后一张表：一路上每个形状；报告里的“模型”一节：点一个部件"},
     {"dropout stands on the two branches, before they are added",
      "dropout 在两个分支上，在加回 x 之前"}},
    {"9.3",
     {"Why attention: a chain or a round table", "为什么要注意力：传话还是圆桌"},
     {"Who invited whom in 小沈阳江西演唱会邀请了，? An RNN hands a state from character to "
      "character; "
      "attention lets each look at all before it, at once.",
      "“小沈阳江西演唱会邀请了，”，谁邀请了谁？RNN "
      "把一个状态逐字往下传；注意力让每个字一步看到前面"
      "所有的字。"},
     {"attend {run} --text 小沈阳江西演唱会邀请了，"},
     {"a triangle, not the full grid of the course's picture: a GPT looks back only",
      "是一个三角形，不是课程图里的整个方阵：GPT 只看前面的字"},
     {"a small triangle for each head", "每个头一个小三角形"},
     rnn_page},
    {"9.4",
     {"The dot product as likeness", "用点积衡量相似"},
     {"Multiply place by place and add up: large where two vectors point the same way and are "
      "long. "
      "All pairs at once: [n, d] · [d, n] = [n, n].",
      "对应位置相乘再相加：两个向量方向相近、又长，点积就大。一次算出所有的对：[n, d] · [d, n] "
      "= [n, n]。"},
     {"explain --example dot"},
     {"邀请 with 小, 沈, 阳: 0.53, 0.66, 0.40; the cosines give the same order",
      "“邀请”与小、沈、阳：0.53、0.66、0.40；余弦给出同样的次序"},
     {"three sums, then a table of dot products, norms and cosines",
      "三个和，然后一张点积、范数、余弦的表"}},
    {"9.5",
     {"The heat map of attention", "注意力的热力图"},
     {"One row asks (query), one column is looked at (key); yellow is much. The course draws "
      "16 × 16 "
      "tokens of another tokenizer; here each character is a token.",
      "每行是查询（在看的字），每列是键（被看的字），越亮权重越大。课程画的是另一种分词的 16 × "
      "16；"
      "这里一个字就是一个 token。"},
     {"attend {run} --text 小沈阳江西演唱会邀请了，",
      "attend {run} --text 小沈阳江西演唱会邀请了， {head previous}"},
     {"upper right is empty (the mask); each row adds up to 100 %",
      "右上角是空的（掩码）；每一行加起来是 100 %"},
     {"a triangle; yellow is much, dark blue little; the course's picture is a full square",
      "一个三角形，黄色权重大，深蓝权重小；课程的图是整个方阵"},
     heat_map_page},
    {"9.6",
     {"Softmax, and ÷ √d_k", "softmax 与 ÷ √d_k"},
     {"Scores have no fixed range; softmax makes shares of them. Divided by √d_k first, they "
      "do not "
      "choose a single winner.",
      "分数没有固定范围，softmax 把它们变成比例；先除以 √d_k，就不会几乎只选一个。"},
     {"explain --example softmax"},
     {"0.0055 0.0000 0.9943 0.0002; then random vectors of 4, 32, 128 and 512 numbers",
      "0.0055 0.0000 0.9943 0.0002；再看 4、32、128、512 维的随机向量"},
     {"a row of four shares, one of them 0.99; then a table by d_k, where the unscaled weight "
      "nears 1",
      "一行四个比例，其中一个是 0.99；再是按 d_k 排的表，不缩放的最大权重越来越接近 1"}},
    {"9.7",
     {"The formula as a library", "公式与图书馆"},
     {"softmax(Q Kᵀ / √d_k) · V in four steps: Q is the request, K the labels, V the books.",
      "softmax(Q Kᵀ / √d_k) · V 的四步：Q 是借书单，K 是标签，V 是书。"},
     {"explain --example"},
     {"sheets 4 to 7: scores, scaling, softmax, weighted sum",
      "演算表 4 到 7：分数、缩放、softmax、加权和"},
     {"seven small sheets, one a step", "七张小演算表，一步一张"},
     library_page},
    {"9.8",
     {"Why dot products", "为什么用点积"},
     {"One matrix product compares all with all, its geometry is clear, and W_Q, W_K, W_V make "
      "it "
      "learnable.",
      "一次矩阵乘法就比较了所有的对，几何意义清楚，而 W_Q、W_K、W_V 让它可以学习。"},
     {"explain {run} --text 猫吃鱼 --sheets similarity,scores"},
     {"X · Xᵀ beside Q · Kᵀ; q · k = ‖q‖ ‖k‖ cos", "X · Xᵀ 与 Q · Kᵀ 对照；q · k = ‖q‖ ‖k‖ cos"},
     {"a table: q · k, both norms, the cosine", "一张表：q · k、两个范数、余弦"}},
    {"9.9",
     {"Self-attention and cross-attention", "自注意力与交叉注意力"},
     {"Self-attention: Q, K and V come from one sequence. Cross-attention: Q from the decoder, "
      "K and "
      "V from the encoder. A GPT has only the first, with the causal mask.",
      "自注意力：Q、K、V 来自同一个序列。交叉注意力：Q 来自解码器，K、V 来自编码器。GPT "
      "只有前一种，"
      "并加上因果掩码。"},
     {"explain --example --causal"},
     {"the upper right is masked (·)", "右上角被遮住（·）"},
     {"the example's square with the upper right masked; below, a rectangle that is not",
      "例子里的方阵，右上角被遮住；下面是不加掩码的长方形"},
     cross_attention_page},
};

}  // namespace

std::span<const Lesson> lessons_of_9() { return kChapter9; }

std::vector<Erratum> errata_of_9() {
    // dot product, both lengths, cosine
    const Numbers shen = dot_sheet().table("cosine", "pairs").row("沈").numbers();
    const Numbers right = softmax(Numbers{3.5, -2.1, 8.7, 0.3});
    Numbers thirds{3.5, -2.1, 8.7, 0.3};
    for (double& x : thirds) x /= std::sqrt(3.0);
    const Numbers printed = softmax(thirds);
    const auto four = [](const Numbers& p) {
        return format("%.4f, %.4f, %.4f, %.4f", p[0], p[1], p[2], p[3]);
    };
    const double root = std::sqrt(512.0), quarter = std::sqrt(128.0);
    return {
        {"E10",
         "9.4",
         {"dots 0.53, 0.66, 0.40; a dot product is cosine × length",
          "点积 0.53、0.66、0.40；点积等于余弦乘长度"},
         say({"right for the three numbers shown; a dot product is the cosine times both lengths: "
              "%.2f = %.4f · %.4f · %.4f",
              "对写出的三个数来说是对的；点积等于余弦乘两个向量的范数：%.2f = %.4f · %.4f · %.4f"},
             shen[0], shen[3], shen[1], shen[2])},
        {"E11",
         "9.5",
         {"the sentence has 16 tokens", "这句话有 16 个 token"},
         {"12 characters. 16 is right for the tokenizer cl100k_base, where 沈, 演, 唱 and 邀 are "
          "two "
          "pieces each: 12 + 4. No piece is a whole character, so that map has no row for 沈",
          "12 个字符。按 cl100k_base 分词是 16：沈、演、唱、邀各拆成两段，12 + 4 = "
          "16；每一段都不是完整的"
          "字，所以那张图里没有“沈”这一行"}},
        {"E12",
         "9.5",
         {"X axis = query, Y axis = key", "横轴是 Query，纵轴是 Key"},
         {"the other way round: row i asks, column j is looked at, as its own text and its 9.7 say",
          "正好相反：第 i 行是查询，第 j 列是被看的键；它自己的正文和 9.7 节也是这样说的"}},
        {"E13",
         "9.6",
         {"softmax of 3.5, −2.1, 8.7, 0.3 = 0.05, 0, 0.94, 0.01",
          "softmax(3.5, −2.1, 8.7, 0.3) = 0.05, 0, 0.94, 0.01"},
         say({"%s. The printed ones come out when the scores are first divided by √3: %s",
              "%s。先把分数除以 √3，才得到印的那些：%s"},
             four(right), four(printed))},
        {"E14",
         "9.6",
         {"512 products add up to hundreds or thousands", "512 个乘积加起来有几百、几千"},
         say({"with variance 1 to about ±√512 = ±%.1f (explain --example softmax measures it). And "
              "512 is "
              "d_model: a head of chapter 12 has 128, √128 = %.1f",
              "方差为 1 时大约是 ±√512 = ±%.1f（explain --example softmax 里量给你看）。而且 512 "
              "是 d_model；"
              "第 12 章的一个头只有 128 维，√128 = %.1f"},
             root, quarter)},
    };
}

}  // namespace zhuyi
