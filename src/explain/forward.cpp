// One text through a model, as a sheet: one position from its character to the next one.
#include "explain/forward.h"

#include <algorithm>

#include "attention/neighbors.h"
#include "base/format.h"
#include "model/gpt.h"
#include "model/parameters.h"
#include "text/tokenizer.h"

namespace zhuyi {
static void write_tokens(Sheet& sheet, const Reading& r) {
    sheet.section("tokens", {"The text as tokens", "把文字变成 token"});
    sheet.text({"Positions count from 0, as blocks and heads do.", "位置从 0 数起，层和头也是。"});
    Sheet::Table& table = sheet.list("tokens", {"token", {"id", "编号"}, ""});
    for (Index t = 0; t < r.length(); ++t)
        table.add(std::to_string(t),
                  {r.tokens[t], std::to_string(r.ids[t]),
                   t == r.focus.query ? say({"← followed here", "← 下面跟踪它"}) : std::string()});
}

static void write_embedding(Sheet& sheet, const Reading& r, const Numbers& start, Index step) {
    const std::string row = r.token("E");
    const Numbers E = r.model.value("embedding.token").row_copy(r.ids[r.focus.query]);
    const bool added = encoding_of(r.config.position).added;
    sheet.section("embedding", {"Embedding", "词向量"});
    if (added)
        sheet.text(
            {"The token's row of the table E is copied, the row of its position is added: x.",
             "从词向量表 E 里取出这个 token 的那一行，加上它所在位置的那一行，得到 x。"});
    else
        sheet.text({"The token's row of the table E is copied: x. %s",
                    "从词向量表 E 里取出这个 token 的那一行，就是 x。%s"},
                   say(encoding_of(r.config.position).embedding));
    Sheet::Table& sum = sheet.matrix(
        "embedding", r.in_numbers(added ? "x = E[token] + P[position]  [C]" : "x = E[token]  [C]"));
    sum.add(row, E);
    if (added)
        sum.add(format("P[%td]", r.focus.query),
                Grid(r.model.model.positions()).row(r.focus.query));
    sum.total("x", r.at_query("embedding"));
    if (!start.empty())
        sheet.text(
            {"Training moved this row %1$s by ‖ΔE‖ = %3$.4f in %2$td steps (cosine to where "
             "it started: %4$.4f). Below, context moves the copy x; E itself stays as it is.",
             "训练改变的是表里的这一行：%2$td 步里 %1$s 移动了 ‖ΔE‖ = %3$.4f（与初始值的余弦"
             "相似度 %4$.4f）。下面各层里，上下文改变的是取出的 x；E 本身不变。"},
            row, step, distance(start, E), cosine(start, E));
}

// Writes how the LayerNorm of this name makes X of x.
static void write_norm(Sheet& sheet, const char* key, const Reading& r, const std::string& before) {
    const Numbers x = r.at_query(before);
    const Spread spread = spread_of(x);
    Numbers n;
    for (const double v : x) n.push_back((v - spread.mean) * spread.r);
    sheet.formula("n = (x - μ) · r,   r = 1/√(σ² + 1e-5),   X = γ · n + β");
    sheet.formula(
        format("μ = %.4f   σ² = %.4f   r = %.4f", spread.mean, spread.variance, spread.r));
    Sheet::Table& table = sheet.matrix(key);
    table.add("x", x);
    table.add("n", n);
    table.add("γ", r.model.bias(r.own(key) + ".gamma"));
    table.add("β", r.model.bias(r.own(key) + ".beta"));
    table.total("X", r.at_query(r.own(key)));
}

static void write_block_input(Sheet& sheet, const Reading& r) {
    const Index block = r.focus.block;
    sheet.section("norm_1", {"Into block %td: LayerNorm", "进入第 %td 层：LayerNorm（层归一化）"},
                  block);
    if (block == 1)
        sheet.text({"x is what block 0 made of it.", "这里的 x 是第 0 层的输出。"});
    else if (block > 1)
        sheet.text({"x is what blocks 0 to %td made of it.",
                    "这里的 x 是第 0 到第 %td 层处理之后的结果。"},
                   block - 1);
    write_norm(sheet, "norm_1", r, input_name(block));
}

// ---- how far each branch moves the vector: attention and FFN of each block, 2 L branches

// Returns x as it is after this many branches.
static Numbers x_after(const Reading& r, Index branches) {
    if (branches % 2 == 0) return r.at_query(input_name(branches / 2));
    return r.at_query(block_name(branches / 2, "residual.1"));
}

static double moved_by(const Reading& r, Index branch) {
    return distance(x_after(r, branch), x_after(r, branch + 1));
}

// Returns "江 0.93  小 0.41 …".
static std::string neighbour_text(const Reading& r, View<const Neighbour> near, Index most) {
    return joined(near.part(0, std::min(most, near.count())), "  ", [&](const Neighbour& n) {
        return r.model.tokenizer.name(n.token) + format(" %.2f", n.cosine);
    });
}

static std::string nearest_name(const Reading& r, const List<Neighbour>& near) {
    return near.empty() ? "-" : r.model.tokenizer.name(near.front().token);
}

// Shows what one branch of the block that is looked at does to x.
static void write_move(Sheet& sheet, const Reading& r, bool attention) {
    const Index branch = 2 * r.focus.block + !attention;
    const Numbers x = x_after(r, branch), moved = x_after(r, branch + 1);
    Sheet::Table& sum = sheet.matrix(attention ? "residual_1" : "residual_2");
    sum.add("x", x);
    sum.add(attention ? Label("output", "输出") : Label("FFN"),
            r.at_query(r.own(attention ? "attention.output" : "ffn.output")));
    sum.total("x'", moved);
    const Words mover = attention ? Words{"Attention", "注意力"} : Words{"The FFN", "前馈网络"};
    sheet.text({"%s moved the vector of %s by ‖Δx‖ = %.4f (length %.4f → %.4f, cosine %.4f). "
                "Nearest characters of E:",
                "%s使“%s”的向量移动了 ‖Δx‖ = %.4f（范数 %.4f → %.4f，前后的余弦相似度 %.4f）。E "
                "里离它最近的字："},
               mover, r.query_token(), distance(x, moved), length(x), length(moved),
               cosine(x, moved));
    Sheet::Table& table = sheet.list("nearest");
    table.add({"before", "之前"}, {neighbour_text(r, nearest_rows(r.model, x, 5), 5)});
    table.add({"after", "之后"}, {neighbour_text(r, nearest_rows(r.model, moved, 5), 5)});
}

static void write_residual(Sheet& sheet, const Reading& r) {
    const Index branch = 2 * r.focus.block;
    sheet.section("residual", {"Residual: context moves the vector", "残差连接：上下文使向量移动"});
    sheet.text({"x' = x + output: x passes as it is, and the branch adds to it. Here the output is "
                "%.2f times as long as x.",
                "x' = x + 输出：x 原样通过，分支的输出加在上面。这里输出的范数是 x 的 %.2f 倍。"},
               moved_by(r, branch) / std::max(length(x_after(r, branch)), 1e-30));
    write_move(sheet, r, true);
}

static void write_feed_forward(Sheet& sheet, const Reading& r) {
    const Numbers hidden = r.at_query(r.own("ffn.hidden"));
    sheet.section("feed_forward", {"Feed-forward layer", "前馈网络 FFN"});
    sheet.text({"Each position on its own: widen, apply GELU, narrow.",
                "每个位置各算各的：升维、非线性激活、降维。"});
    write_norm(sheet, "norm_2", r, r.own("residual.1"));
    sheet.formula(
        r.in_numbers("FFN = GELU(X · W_1 + b_1) · W_2 + b_2:   [1, T, C] → [1, T, F] → [1, T, C]"));
    Sheet::Table& table = sheet.matrix("hidden");
    table.add("X · W_1 + b_1", hidden);
    table.add("GELU", r.at_query(r.own("ffn.gelu")));
    sheet.text(
        {"%td of %td numbers are above 0 before GELU.", "GELU 之前有 %td / %td 个数大于 0。"},
        std::ranges::count_if(hidden, [](double x) { return x > 0; }), r.config.width());
    write_move(sheet, r, false);
}

static void write_stack(Sheet& sheet, const Reading& r) {
    const Index branches = 2 * r.config.layers;
    List<List<Neighbour>> around;  // x before the first branch, and after each
    Numbers moved;
    for (Index i = 0; i <= branches; ++i) around.push_back(nearest_rows(r.model, x_after(r, i), 5));
    for (Index i = 0; i < branches; ++i) moved.push_back(moved_by(r, i));
    const Index most = largest(moved);
    sheet.section("stack", {"All blocks: the way of this vector", "走完所有层：这个向量的变化"});
    sheet.text(
        {"The longest move is made by %1$s of block %2$td: ‖Δx‖ = %3$.4f, where ‖x‖ was %4$.4f. "
         "Before it the nearest row of E is %5$s, after it %6$s.",
         "移动最大的一次是第 %2$td 层的%1$s：‖Δx‖ = %3$.4f，而移动之前 ‖x‖ = %4$.4f。移动之前，"
         "E 里离 x 最近的是“%5$s”，之后是“%6$s”。"},
        most % 2 ? Words{"the FFN", " FFN"} : Words{"the attention", "注意力"}, most / 2,
        moved[most], length(x_after(r, most)), nearest_name(r, around[most]),
        nearest_name(r, around[most + 1]));
    if (r.config.tied)
        sheet.text({"The output uses the same table E: at the end the nearest row is %s, and the "
                    "likeliest next token %s.",
                    "输出层用的是同一张表 E：走完所有层，离 x 最近的是“%s”，概率最大的下一个 token "
                    "是“%s”。"},
                   nearest_name(r, around.back()),
                   r.model.tokenizer.name(likeliest(r.at_query("logits"), 1)[0]));
    Sheet::Table& table = sheet.list(
        "moves",
        {"‖Δx‖", "‖x‖", {"cosine", "余弦"}, {"nearest before", "之前最近"}, {"after", "之后最近"}});
    for (Index i = 0; i < branches; ++i)
        table.add(say({"block %td %s", "第 %td 层 %s"}, i / 2,
                      i % 2 ? Words{"FFN", "FFN"} : Words{"attention", "注意力"}),
                  {moved[i], length(x_after(r, i + 1)), cosine(x_after(r, i), x_after(r, i + 1)),
                   neighbour_text(r, around[i], 2), neighbour_text(r, around[i + 1], 2)});
}

static void write_prediction(Sheet& sheet, const Reading& r) {
    sheet.section("prediction",
                  {"From the last vector to the next character", "从最后的向量到下一个字"});
    const Words table = r.config.tied ? Words{"each row of E itself", "词向量表 E 的每一行"}
                                      : Words{"each column of W", "输出矩阵的每一列"};
    sheet.text({"One more LayerNorm, then a dot product with %s: the logits.",
                "再做一次 LayerNorm，然后与%s做点积，得到 logits。"},
               table);
    sheet.matrix("final_norm").add("X", r.at_query("final_norm"));
    sheet.formula(r.in_numbers("logits:   [1, T, C] · [C, V] → [1, T, V]   p = softmax(logits)"));
    Sheet::Table& list = sheet.list("predictions", {"logit", "p"});
    const Numbers logits = r.at_query("logits"), p = softmax(logits);
    double others = 1;
    for (const Token token : likeliest(logits, 10)) {
        list.add(r.model.tokenizer.name(token), {logits[token], p[token]});
        others -= p[token];
    }
    list.total(say({"other %td", "其余 %td 个 token"}, r.config.vocabulary - std::ssize(list.rows)),
               {Cell(), others});
}

void write_forward(Sheet& sheet, const Reading& r, const Numbers& start, Index step) {
    write_tokens(sheet, r);
    write_embedding(sheet, r, start, step);
    write_block_input(sheet, r);
    write_attention(sheet, r);
    write_residual(sheet, r);
    write_feed_forward(sheet, r);
    write_stack(sheet, r);
    write_prediction(sheet, r);
}

}  // namespace zhuyi
