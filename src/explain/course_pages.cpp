#include "explain/course_pages.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/grid.h"
#include "base/random.h"
#include "model/parameters.h"

namespace zhuyi {
namespace {

// Scores, scaled scores and softmax of one query over named keys.
Numbers write_asking(Sheet& sheet, const std::string& name, const Numbers& q, const Labels& names,
                     const std::vector<Numbers>& keys) {
    Numbers scores, scaled;
    for (const Numbers& k : keys) {
        scores.push_back(dot(q, k));
        scaled.push_back(scores.back() / std::sqrt(double(q.size())));
    }
    const Numbers p = softmax(scaled);
    Sheet::Table& table =
        sheet.list("asking", {"q · k", format("÷ √%zu", q.size()), {"weight", "注意力权重"}});
    table.caption = name;
    for (std::size_t i = 0; i < keys.size(); ++i) table.add(names[i], {scores[i], scaled[i], p[i]});
    return p;
}

}  // namespace

void rnn_page(Sheet& sheet, const CourseRun&) {
    sheet.text(
        {"An RNN in its simplest form keeps half of what it knew: h ← 0.5 h + x. What is left "
         "of the first of 12 characters:",
         "最简单的 RNN，每步只留下一半：h ← 0.5 h + x。12 个字之后，第一个字还剩多少："});
    Sheet::Table& table = sheet.matrix("rnn");
    Numbers left{1};
    while (left.size() < 12) left.push_back(0.5 * left.back());
    table.add({"share of x_0 in h", "h 里 x_0 的份额"}, left);
    sheet.text(
        {"0.5^11 = %.4f. Attention reads the first character in one step, with whatever weight "
         "the query asks for. Both cost more for a longer text, attention even T² scores; what "
         "it gains is that all positions are computed at once, and that any two are one step "
         "apart.",
         "0.5^11 = %.4f。注意力一步就读到第一个字，权重由查询决定。文本越长，两者都越费时间，注意力"
         "甚至要算 T² 个分数；它赢在所有位置可以同时计算，任意两个位置只隔一步。"},
        left.back());
}

void library_page(Sheet& sheet, const CourseRun&) {
    sheet.text({"In numbers: who asks for 机器学习 brings q = [1, 2]; three books have labels.",
                "用数字来算：想找“机器学习”的人，q = [1, 2]；三本书各有标签。"});
    const Numbers p =
        write_asking(sheet, "q = [1, 2]", {1, 2},
                     {"Python k = [1, 0.5]", "机器学习 k = [0.5, 2]", "烹饪 k = [-1, 0]"},
                     {{1, 0.5}, {0.5, 2}, {-1, 0}});
    sheet.text(
        {"What comes back is no single book but a sum: %.3f · V[Python] + %.3f · V[机器学习] + "
         "%.3f · V[烹饪].",
         "取回来的不是某一本书，而是加权和：%.3f · V[Python] + %.3f · V[机器学习] + %.3f · "
         "V[烹饪]。"},
        p[0], p[1], p[2]);
}

void cross_attention_page(Sheet& sheet, const CourseRun&) {
    sheet.text(
        {"In cross-attention a translator's decoder asks (你, 好), and what the encoder made of "
         "another sequence answers (Hello, World). Q comes from the one, K and V from the other:",
         "交叉注意力里，译文（你、好）提问，原文（Hello、World）回答：Q 来自解码器，K、V "
         "来自编码器的"
         "输出。"});
    const Labels names{"Hello k = [1, 0.5]", "World k = [0, 2]"};
    const std::vector<Numbers> keys{{1, 0.5}, {0, 2}};
    write_asking(sheet, "你  q = [1, 0]", {1, 0}, names, keys);
    write_asking(sheet, "好  q = [0, 1]", {0, 1}, names, keys);
    sheet.text(
        {"The map is a rectangle (questions × answers), and nothing is masked: the whole other "
         "sequence is known. Each decoder block has W_Q, W_K, W_V, W_O for it once more. A GPT "
         "has none of this: one sequence, one square, masked.",
         "这张图是长方形（查询数 × "
         "键数），不加掩码：另一个序列是全部已知的。解码器的每一层为它另有一套 "
         "W_Q、W_K、W_V、W_O。GPT 没有这些：一个序列，一个方阵，加因果掩码。"});
}

void residual_page(Sheet& sheet, const CourseRun&) {
    constexpr Index kWidth = 32, kDepth = 12;
    sheet.text(
        {"What the residual connection is good for, tried out: %td layers of x ↦ W·tanh(x) with "
         "random W (%td × %td, entries of deviation 0.5/√%td), and the same as x ↦ x + W·tanh(x). "
         "‖dx‖ on the way back:",
         "残差连接有什么用，试一试：%td 层 x ↦ W·tanh(x)，W 随机（%td × %td，标准差 "
         "0.5/√%td）；再换成 "
         "x ↦ x + W·tanh(x)。反向传播时的 ‖dx‖："},
        kDepth, kWidth, kWidth, kWidth);
    const auto weight = [](Index layer, Index i) {
        return 0.5 / std::sqrt(double(kWidth)) *
               Random(1, Stream::initialisation, std::uint64_t(layer)).normal(i);
    };
    Sheet::Table& table =
        sheet.list("residual_depth", {{"without", "没有残差连接"}, {"with", "有残差连接"}});
    std::vector<Numbers> lengths;
    for (const bool residual : {false, true}) {
        std::vector<Numbers> x{Numbers(kWidth, 0.5)};
        for (Index l = 0; l < kDepth; ++l) {
            Numbers y = residual ? x.back() : Numbers(kWidth, 0);
            for (Index i = 0; i < kWidth; ++i)
                for (Index j = 0; j < kWidth; ++j)
                    y[std::size_t(i)] +=
                        weight(l, i * kWidth + j) * std::tanh(x.back()[std::size_t(j)]);
            x.push_back(y);
        }
        Numbers d(kWidth, 1 / std::sqrt(double(kWidth)));
        lengths.push_back({length(d)});
        for (Index l = kDepth; l-- > 0;) {
            Numbers below = residual ? d : Numbers(kWidth, 0);
            for (Index j = 0; j < kWidth; ++j) {
                const double t = std::tanh(x[std::size_t(l)][std::size_t(j)]);
                for (Index i = 0; i < kWidth; ++i)
                    below[std::size_t(j)] +=
                        weight(l, i * kWidth + j) * d[std::size_t(i)] * (1 - t * t);
            }
            d = below;
            lengths.back().push_back(length(d));
        }
    }
    for (Index depth : {0, 3, 6, 9, 12})
        table.add(say({"%td layers down", "反传 %td 层"}, depth),
                  {lengths[0][std::size_t(depth)], lengths[1][std::size_t(depth)]});
    sheet.text(
        {"Without it the gradient loses about half in every layer; with it, it arrives. "
         "LayerNorm does the other half: it keeps what each branch reads at one size.",
         "没有残差连接，梯度每层损失约一半；有了它，梯度传得到。LayerNorm "
         "管另一半：让每个分支读到的数"
         "大小相同。"});
}

void three_scores_page(Sheet& sheet, const CourseRun&) {
    const Grid S(3, 3, {1, 0.5, 0.1, 0.2, 2, 0.3, 0.1, 0.4, 0.8});
    sheet.text({"Its own S, row by row through softmax (S is not scaled here):",
                "它的 S，逐行做 softmax（这里没有缩放）："});
    sheet.matrix("S", "S", {}, S);
    Grid A(3, 3);
    for (Index r = 0; r < 3; ++r) std::ranges::copy(softmax(S.row(r)), A.values.begin() + 3 * r);
    sheet.matrix("A", {"A = softmax(S)", "A = softmax(S)"}, {}, A);
}

void heads_cost_page(Sheet& sheet, const CourseRun&) {
    sheet.text({"d_model = 512, 16 tokens, cut into 1, 4 or 8 heads:",
                "d_model = 512，16 个 token，分成 1、4 或 8 个头："});
    Sheet::Table& table = sheet.list("heads_cost", {{"weights of W_Q … W_O", "W_Q … W_O 的参数"},
                                                    {"Q·Kᵀ: multiply-adds", "Q·Kᵀ 的乘加次数"},
                                                    {"numbers of the maps", "注意力图里的数"}});
    for (const Index heads : {1, 4, 8}) {
        GptConfig config;
        config.channels = 512, config.heads = heads, config.layers = 1, config.vocabulary = 1000;
        Index weights = 0;
        for (const Parameter& p : parameter_table(config))
            if (p.block_matrix && p.kind != Kind::ffn_weight) weights += p.shape.size();
        table.add(say({"%td heads of %td", "%td 个头 × %td 维"}, heads, config.head_size()),
                  {grouped(weights), grouped(heads * 16 * 16 * config.head_size()),
                   grouped(heads * 16 * 16)});
    }
    sheet.text({"Only the maps grow: heads cost no weights and no products, they share them out.",
                "只有注意力图变多：增加头数不增加参数，也不增加乘法，只是重新分配。"});
}

void split_page(Sheet& sheet, const CourseRun&) {
    sheet.text({"Which column is whose (512 = 4 × 128):", "哪些列归哪个头（512 = 4 × 128）："});
    sheet.formula("[  0 … 127 ][ 128 … 255 ][ 256 … 383 ][ 384 … 511 ]");
    sheet.formula({"   head 0      head 1       head 2       head 3",
                   "    头 0        头 1         头 2         头 3"});
    sheet.text(
        {"To put them together again, heads and positions change places first: [4, 4, 16, 128] → "
         "[4, 16, 4, 128] → [4, 16, 512]. Row t of the result is head 0, 1, 2, 3 of position t.",
         "拼接之前，头和位置先交换：[4, 4, 16, 128] → [4, 16, 4, 128] → [4, 16, 512]。结果的第 t "
         "行是位置 "
         "t 的头 0、1、2、3 并排。"});
}

}  // namespace zhuyi
