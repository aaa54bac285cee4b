// The course's example 猫 吃 鱼 as a sheet.
#include <cmath>

#include "autograd/tape.h"
#include "base/check.h"
#include "base/format.h"
#include "base/math.h"
#include "explain/examples.h"
#include "explain/pass.h"
#include "ops/linear.h"

namespace zhuyi {
namespace {

constexpr Index kT = 3, kC = 4, kD = 2;
const List<std::string> kNames{"猫", "吃", "鱼"};
const Labels kTokens(kNames.begin(), kNames.end());

const Numbers kX = {0.8, 0.2, 0.4, 0.1, 0.1, 0.9, 0.3, 0.7, 0.3, 0.1, 0.9, 0.2};
// (4, 2) each. Head 0 is the course's own; head 1 and W_O are this project's, chosen so that the
// two heads differ and the arithmetic stays short.
const Grid kW_Q[2] = {{kC, kD, {0.5, 0.2, 0.1, 0.3, 0.4, 0.6, 0.2, 0.1}},
                      {kC, kD, {0.3, 0.1, 0.6, 0.2, 0.1, 0.5, 0.4, 0.3}}};
const Grid kW_K[2] = {{kC, kD, {0.1, 0.5, 0.3, 0.2, 0.6, 0.4, 0.2, 0.3}},
                      {kC, kD, {0.4, 0.2, 0.1, 0.6, 0.2, 0.1, 0.5, 0.3}}};
const Grid kW_V[2] = {{kC, kD, {0.2, 0.4, 0.5, 0.1, 0.3, 0.6, 0.1, 0.2}},
                      {kC, kD, {0.6, 0.1, 0.2, 0.3, 0.1, 0.5, 0.4, 0.2}}};
const Grid kW_O = {
    kC, kC, {0.4, 0.1, 0.2, 0.3, 0.2, 0.5, 0.1, 0.2, 0.1, 0.3, 0.4, 0.2, 0.3, 0.2, 0.1, 0.5}};

Grid side_by_side(const Grid* parts, Index count) {
    Grid whole(parts[0].rows, parts[0].columns * count);
    for (Index h = 0; h < count; ++h)
        for (Index r = 0; r < whole.rows; ++r)
            for (Index c = 0; c < parts[h].columns; ++c)
                whole.at(r, h * parts[h].columns + c) = parts[h].at(r, c);
    return whole;
}

Tensor product(Tape& tape, const Tensor& x, const Grid& W) {
    return linear(x, Affine{constant(tape, {W.rows, W.columns}, W.values), {}});
}

// What a head computes: Q, K, V and mix are (3, 2), weights (3, 3).
struct Head {
    Mask mask;
    Grid Q, K, V, weights, mix;
    bool sees(Index t, Index s) const { return mask == Mask::none || s <= t; }
};

// Adds a (T, T) matrix. If `masked`, it shows what the mask hides as hidden.
Sheet::Table& square(Sheet& sheet, const char* key, const Label& caption, const Head& head,
                     const Grid& numbers, bool masked) {
    Sheet::Table& table = sheet.matrix(key, caption, kTokens, numbers, kTokens);
    for (Index t = 0; masked && t < numbers.rows; ++t)
        for (Index s = 0; s < numbers.columns; ++s)
            if (!head.sees(t, s)) table.rows[std::size_t(t)].cells[std::size_t(s)] = Cell::masked();
    return table;
}

void write_input(Sheet& sheet) {
    sheet.section("input", {"Input X", "输入 X"});
    sheet.text({"One row a character: its embedding, d_in = 4.",
                "每个字一行，就是它的词向量，d_in = 4。"});
    sheet.matrix("X", with_shape("X", {kT, kC}), kTokens, {kT, kC, kX});
}

// W holds W_Q, W_K and W_V, y what they make of X: Q, K and V.
void write_projections(Sheet& sheet, Index heads, const List<Grid>& W, const List<Grid>& y) {
    const List<std::string> names{"Q", "K", "V"};
    sheet.section("weights_in", {"The weights W_Q, W_K, W_V", "权重 W_Q、W_K、W_V"});
    if (heads == 1)
        sheet.text({"Stored [in, out], so that Q = X · W_Q. No bias here.",
                    "按 [输入, 输出] 存放，所以 Q = X · W_Q。这里没有偏置。"});
    else
        sheet.text(
            {"Stored [in, out]; columns 0–1 belong to head 0 (the course's own weights), "
             "columns 2–3 to head 1 (chosen for this sheet). No bias here.",
             "按 [输入, 输出] 存放；第 0–1 列归头 0（课程里的权重），第 2–3 列归头 1（为这张"
             "演算表选定）。这里没有偏置。"});
    for (Index i = 0; i < 3; ++i)
        sheet.matrix("W_" + names[i], with_shape("W_" + names[i], W[i].shape()), {}, W[i]);

    sheet.section("projections", {"Queries, keys and values", "查询 Q、键 K、值 V"});
    sheet.text({"What each character asks, what it offers to be found by, and what it hands over.",
                "Q：这个字在找什么；K：它凭什么被找到；V：被找到后它交出什么。"});
    for (Index i = 0; i < 3; ++i)
        sheet.product(names[i] + "[猫][0]", std::span(kX).first(kC), columns_of(W[i], 0, 1).values,
                      y[i].at(0, 0));
    for (Index i = 0; i < 3; ++i)
        sheet.matrix(names[i], with_shape(names[i] + " = X · W_" + names[i], y[i].shape()), kTokens,
                     y[i]);
}

void write_split(Sheet& sheet) {
    sheet.section("split", {"Two heads", "拆成两个头"});
    sheet.text(
        {"d = 4 is cut into 2 heads of d_k = 2. Nothing is computed: columns are handed out, "
         "and from here on each head works on its own.",
         "d = 4 切成 2 个头，每头 d_k = 2。这一步不做计算，只是分列；之后两个头各算各的。"});
    sheet.formula(
        {"Q, K, V:  [1, 3, 4] → [1, 3, 2, 2] → [1, 2, 3, 2]   [batch, heads, seq, d_head]",
         "Q, K, V:  [1, 3, 4] → [1, 3, 2, 2] → [1, 2, 3, 2]   [批次, 头, 序列, 每头维度]"});
}

// Returns Q · Kᵀ / √d_k.
Grid write_scores(Sheet& sheet, const Head& head, const std::string& of) {
    Grid scores = rows_with_rows(head.Q, head.K);
    const double root = std::sqrt(double(kD));
    sheet.section("scores", {"Scores: Q · Kᵀ%s", "注意力分数：Q · Kᵀ%s"}, of);
    sheet.text({"Each query against each key: the dot product says how well they fit.",
                "每个查询与每个键做点积：点积越大，匹配程度越高。"});
    for (Index t = 0; t < kT; ++t)
        for (Index s = 0; s < kT; ++s)
            sheet.product("Q[" + kNames[t] + "]·K[" + kNames[s] + "]", head.Q.row(t), head.K.row(s),
                          scores.at(t, s));
    square(sheet, "products", with_shape("Q · Kᵀ", {kT, kT}), head, scores, false);

    sheet.section("scaled", {"Scaling: ÷ √d_k%s", "缩放：÷ √d_k%s"}, of);
    sheet.text({"√%td = %.4f. The larger d_k, the wider dot products spread and the more softmax "
                "gives to one character; with d_k = 2 it makes little difference.",
                "√%td = %.4f。d_k 越大，点积起伏越大，注意力权重越偏向一个字；d_k = 2 时影响小。"},
               kD, root);
    for (double& score : scores.values) score /= root;
    square(sheet, "scaled", with_shape("Q · Kᵀ / √d_k", {kT, kT}), head, scores, false);
    return scores;
}

void write_softmax(Sheet& sheet, const Head& head, const Grid& scores, const std::string& of) {
    if (head.mask == Mask::causal) {
        sheet.section("mask", {"Causal mask%s", "因果掩码%s"}, of);
        sheet.text(
            {"A character sees itself and what stands before it; what comes later (·) counts "
             "as -∞, and e^-∞ = 0.",
             "每个字只看得到自己和前面的字；后面的位置（·）当作 -∞，而 e^-∞ = 0。"});
        square(sheet, "masked", with_shape("Q · Kᵀ / √d_k", {kT, kT}), head, scores, true);
    }
    sheet.section("softmax", {"Softmax%s", "softmax%s"}, of);
    sheet.text(
        {"e to each score, divided by the sum of the row: the weights of a row add up to 1. "
         "(The program takes the row's maximum off first, so that no exponential overflows: "
         "the same weights.)",
         "对每个分数 a 求 e^a，再除以这一行的和：每行权重加起来是 1。（程序里先减去每行的最大"
         "值，以免溢出，得到的权重相同。）"});
    Grid exponentials = scores;
    for (double& x : exponentials.values) x = math::exp(x);
    Sheet::Table& table =
        square(sheet, "exponentials", with_shape("exp", {kT, kT}), head, exponentials, true);
    table.columns.push_back({"sum", "和"});
    for (Sheet::Row& row : table.rows) {
        double sum = 0;
        for (const double x : row.numbers()) sum += x;
        row.cells.push_back(sum);
    }
    square(sheet, "weights", with_shape({"weights = exp / sum", "注意力权重 = exp / 和"}, {kT, kT}),
           head, head.weights, true)
        .show_largest = true;
}

// Writes the weighted sum of the rows of V, term by term.
void write_mix(Sheet& sheet, const Head& head, const std::string& of) {
    sheet.section("mix", {"Weighted sum of the values%s", "对 V 加权求和%s"}, of);
    sheet.text({"Each character takes from all it sees, in proportion to the weights.",
                "每个字按权重从它看得到的字那里各取一份 V。"});
    for (Index t = 0; t < head.Q.rows; ++t) {
        Sheet::Table& table = sheet.matrix("mix_terms");
        for (Index s = 0; s < head.V.rows; ++s) {
            if (!head.sees(t, s)) continue;
            table.add(format("%.4f · V[", head.weights.at(t, s)) + kNames[s] + "]",
                      scaled(head.V.row(s), head.weights.at(t, s)));
        }
        table.total(say({"output[%s]", "输出[%s]"}, kNames[t]), head.mix.row(t));
    }
    sheet.matrix("mix", with_shape({"output = weights · V", "输出 = 权重 · V"}, head.mix.shape()),
                 kTokens, head.mix);
}

void write_join(Sheet& sheet, const std::vector<Head>& heads, const Grid& mix, const Grid& output) {
    sheet.section("concatenation", {"Concatenation of the heads", "拼接两个头"});
    sheet.text(
        {"The heads' outputs side by side: columns 0–1 from head 0, columns 2–3 from head 1.",
         "两个头的输出并排放回：第 0–1 列来自头 0，第 2–3 列来自头 1。"});
    sheet.formula("[1, 2, 3, 2] → [1, 3, 2, 2] → [1, 3, 4]");
    sheet.matrix("concatenation", with_shape({"concatenation", "拼接"}, {1, 3, 4}), kTokens, mix);

    sheet.section("output", {"Output: · W_O", "输出投影：· W_O"});
    sheet.text(
        {"W_O mixes what the heads found: every output is a sum over all of them. (Chosen for "
         "this sheet.)",
         "W_O 融合各头信息：输出的每个数都是所有头的加权和。（为这张演算表选定。）"});
    sheet.matrix("W_O", with_shape("W_O", kW_O.shape()), {}, kW_O);
    sheet.product({"output[猫][0]", "输出[猫][0]"}, mix.row(0), columns_of(kW_O, 0, 1).values,
                  output.at(0, 0));
    sheet.matrix("output",
                 with_shape({"output = concatenation · W_O", "输出 = 拼接 · W_O"}, {1, 3, 4}),
                 kTokens, output);

    sheet.section("mean", {"Mean over the heads", "各头权重的平均"});
    sheet.text({"Only for looking at: no step of the model uses it.",
                "只用来看，模型的计算里没有这一步。"});
    sheet.formula("[1, 2, 3, 3] → [1, 3, 3]");
    Grid mean(kT, kT);
    for (const Head& head : heads)
        for (Index i = 0; i < kT * kT; ++i)
            mean.values[i] += head.weights.values[i] / double(heads.size());
    square(sheet, "mean_weights", with_shape({"mean weights", "平均权重"}, {1, 3, 3}), heads[0],
           mean, true)
        .show_largest = true;
}

}  // namespace

Sheet example_sheet(Index heads, Mask mask) {
    if (heads != 1 && heads != 2)
        fail_usage({"--heads=%td: the example has weights for 1 head and for 2",
                    "--heads=%td：这个例子只有 1 个头和 2 个头的权重"},
                   heads);
    Tape tape(false);
    WorkedPass pass;
    const Tensor X = constant(tape, {1, kT, kC}, kX);
    const List<Grid> W{side_by_side(kW_Q, heads), side_by_side(kW_K, heads),
                       side_by_side(kW_V, heads)};
    const Tensor Q = product(tape, X, W[0]), K = product(tape, X, W[1]), V = product(tape, X, W[2]);
    const Watching watching(tape, pass);
    const Tensor mix = attention(Q, K, V, heads, mask);
    std::vector<Head> each_head;
    for (Index h = 0; h < heads; ++h) {
        const auto part = [&](const Tensor& x) { return columns_of(Grid(x), h * kD, kD); };
        // "weights" is (H T, T): head 0's rows first
        each_head.push_back({mask, part(Q), part(K), part(V),
                             rows_of(pass.values("weights"), h * kT, kT), part(mix)});
    }

    Sheet sheet{{"Attention by hand: 猫 吃 鱼", "手算注意力：猫 吃 鱼"}};
    write_input(sheet);
    write_projections(sheet, heads, W, {Grid(Q), Grid(K), Grid(V)});
    if (heads > 1) write_split(sheet);
    for (Index h = 0; h < heads; ++h) {
        const Head& head = each_head[std::size_t(h)];
        const std::string of = heads == 1 ? std::string() : say({" (head %td)", "（头 %td）"}, h);
        const Grid scores = write_scores(sheet, head, of);
        write_softmax(sheet, head, scores, of);
        write_mix(sheet, head, of);
    }
    if (heads > 1) write_join(sheet, each_head, Grid(mix), Grid(product(tape, mix, kW_O)));
    return sheet;
}

}  // namespace zhuyi
