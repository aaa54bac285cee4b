#include "explain/forward.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "model/gpt.h"
#include "model/parameters.h"
#include "text/tokenizer.h"

namespace zhuyi {
namespace {

constexpr Index kNeighbours = 5, kPredictions = 10;

void follow_stack(WorkedForward& f, const WorkedModel& model, const WorkedPass& pass) {
    const Tensor E = model.parameters.tensor("embedding.token");
    const std::vector<Token> candidates = possible_neighbours(model.tokenizer);
    Numbers before = f.embedding;
    std::vector<Neighbour> near = nearest(before, E, candidates, kNeighbours);
    for (Index block = 0; block < f.config.layers; ++block) {
        for (const bool attention : {true, false}) {
            const std::string name = block_name(block, attention ? "residual.1" : "residual.2");
            Numbers after = pass.values(name).row_copy(f.focus.query);
            std::vector<Neighbour> now = nearest(after, E, candidates, kNeighbours);
            f.moves.push_back({block, attention, distance(before, after), length(before),
                               length(after), cosine(before, after), near, now});
            before = std::move(after), near = std::move(now);
        }
    }
    f.final_norm =
        worked_norm(model, "final_norm", before, pass.values("final_norm").row_copy(f.focus.query));
    f.predictions = likeliest(model, pass.values("logits").row_copy(f.focus.query), kPredictions);
    f.others = 1;
    for (const WorkedPrediction& p : f.predictions) f.others -= p.probability;
}

}  // namespace

WorkedNorm worked_norm(const WorkedModel& model, const std::string& name, Numbers x, Numbers y) {
    WorkedNorm norm{
        std::move(x), 0, 0, 0, {}, model.bias(name + ".gamma"), model.bias(name + ".beta"),
        std::move(y)};
    const double C = double(norm.x.size());
    for (double v : norm.x) norm.mean += v / C;
    for (double v : norm.x) norm.variance += (v - norm.mean) * (v - norm.mean) / C;
    norm.rstd = 1 / std::sqrt(norm.variance + 1e-5);
    for (double v : norm.x) norm.normalised.push_back((v - norm.mean) * norm.rstd);
    return norm;
}

std::vector<WorkedPrediction> likeliest(const WorkedModel& model, std::span<const double> logits,
                                        Index count) {
    const Numbers p = softmax(logits);
    std::vector<WorkedPrediction> all;
    for (std::size_t i = 0; i < p.size(); ++i)
        all.push_back({Token(i), model.tokenizer.name(Token(i)), logits[i], p[i]});
    std::ranges::stable_sort(all, std::ranges::greater(), &WorkedPrediction::probability);
    all.resize(std::min(all.size(), std::size_t(count)));
    return all;
}

WorkedForward worked_forward(const WorkedModel& model, std::span<const Token> ids, Focus focus) {
    WorkedPass pass;
    record(pass, model, ids);
    return worked_forward(model, ids, focus, pass);
}

WorkedForward worked_forward(const WorkedModel& model, std::span<const Token> ids, Focus focus,
                             const WorkedPass& pass) {
    WorkedForward f(model, ids, focus);
    const Index q = f.focus.query, block = f.focus.block;
    const auto row = [&](const char* name) {
        return pass.values(block_name(block, name)).row_copy(q);
    };
    f.token_row = model.value("embedding.token").row_copy(ids[std::size_t(q)]);
    if (encoding_of(f.config.position).added)
        f.position_row = Grid(model.model.positions()).row_copy(q);
    f.embedding = pass.values("embedding").row_copy(q);
    f.norm_1 = worked_norm(model, block_name(block, "norm_1"),
                           pass.values(input_name(block)).row_copy(q), row("norm_1"));
    f.attention = worked_attention(model, f, pass);
    f.residual_1 = row("residual.1");
    f.norm_2 = worked_norm(model, block_name(block, "norm_2"), f.residual_1, row("norm_2"));
    f.hidden = row("ffn.hidden"), f.gelu = row("ffn.gelu"), f.ffn_output = row("ffn.output");
    f.residual_2 = row("residual.2");
    follow_stack(f, model, pass);
    return f;
}

// ---- the sheet

namespace {

void write_tokens(Sheet& sheet, const WorkedForward& f) {
    sheet.section("tokens", {"The text as tokens", "把文字变成 token"});
    sheet.text({"Positions count from 0, as blocks and heads do.", "位置从 0 数起，层和头也是。"});
    Sheet::Table& table = sheet.list("tokens", {"token", {"id", "编号"}, ""});
    for (std::size_t t = 0; t < f.tokens.size(); ++t)
        table.add(std::to_string(t),
                  {f.tokens[t], std::to_string(f.ids[t]),
                   Index(t) == f.focus.query ? Text("← followed here", "← 下面跟踪它") : Text()});
}

void write_embedding(Sheet& sheet, const WorkedForward& f) {
    const std::string row = "E[" + f.query_token() + "]";
    sheet.section("embedding", {"Embedding", "词向量"});
    const bool added = encoding_of(f.config.position).added;
    if (added)
        sheet.text(
            {"The token's row of the table E is copied, the row of its position is added: x.",
             "从词向量表 E 里取出这个 token 的那一行，加上它所在位置的那一行，得到 x。"});
    else
        sheet.text({"The token's row of the table E is copied: x. %s",
                    "从词向量表 E 里取出这个 token 的那一行，就是 x。%s"},
                   Text(encoding_of(f.config.position).embedding));
    Sheet::Table& sum = sheet.matrix(
        "embedding", f.in_numbers(added ? "x = E[token] + P[position]  [C]" : "x = E[token]  [C]"));
    sum.add(row, f.token_row);
    if (added) sum.add(format("P[%td]", f.focus.query), f.position_row);
    sum.total("x", f.embedding);
    if (f.trained)
        sheet.text(
            {"Training moved this row %1$s by ‖ΔE‖ = %3$.4f in %2$td steps (cosine to where "
             "it started: %4$.4f). Below, context moves the copy x; E itself stays as it is.",
             "训练改变的是表里的这一行：%2$td 步里 %1$s 移动了 ‖ΔE‖ = %3$.4f（与初始值的余弦"
             "相似度 %4$.4f）。下面各层里，上下文改变的是取出的 x；E 本身不变。"},
            row, f.trained->step, f.trained->moved, f.trained->cosine);
}

void write_norm(Sheet& sheet, const char* key, const WorkedNorm& n) {
    sheet.formula("n = (x - μ) · r,   r = 1/√(σ² + 1e-5),   X = γ · n + β");
    sheet.formula(format("μ = %.4f   σ² = %.4f   r = %.4f", n.mean, n.variance, n.rstd));
    Sheet::Table& table = sheet.matrix(key);
    table.add("x", n.x);
    table.add("n", n.normalised);
    table.add("γ", n.gamma);
    table.add("β", n.beta);
    table.total("X", n.y);
}

void write_block_input(Sheet& sheet, const WorkedForward& f) {
    const Index block = f.focus.block;
    sheet.section("norm_1", {"Into block %td: LayerNorm", "进入第 %td 层：LayerNorm（层归一化）"},
                  block);
    if (block == 1)
        sheet.text({"x is what block 0 made of it.", "这里的 x 是第 0 层的输出。"});
    else if (block > 1)
        sheet.text({"x is what blocks 0 to %td made of it.",
                    "这里的 x 是第 0 到第 %td 层处理之后的结果。"},
                   block - 1);
    write_norm(sheet, "norm_1", f.norm_1);
}

// "江 0.93  小 0.41 …"
std::string neighbour_text(const std::vector<Neighbour>& near, const Tokenizer& tokenizer,
                           std::size_t most) {
    std::string text;
    for (std::size_t i = 0; i < std::min(most, near.size()); ++i)
        text += (i ? "  " : "") + tokenizer.name(near[i].token) + format(" %.2f", near[i].cosine);
    return text;
}

std::string nearest_name(const std::vector<Neighbour>& near, const Tokenizer& tokenizer) {
    return near.empty() ? "-" : tokenizer.name(near.front().token);
}

void write_move(Sheet& sheet, const WorkedForward& f, const WorkedMove& move,
                const Tokenizer& tokenizer, std::span<const double> x,
                std::span<const double> delta, std::span<const double> y) {
    Sheet::Table& sum = sheet.matrix(move.attention ? "residual_1" : "residual_2");
    sum.add("x", x);
    sum.add(move.attention ? Label("output", "输出") : Label("FFN"), delta);
    sum.total("x'", y);
    const Words mover =
        move.attention ? Words{"Attention", "注意力"} : Words{"The FFN", "前馈网络"};
    sheet.text({"%s moved the vector of %s by ‖Δx‖ = %.4f (length %.4f → %.4f, cosine %.4f). "
                "Nearest characters of E:",
                "%s使“%s”的向量移动了 ‖Δx‖ = %.4f（范数 %.4f → %.4f，前后的余弦相似度 %.4f）。E "
                "里离它最近的字："},
               mover, f.query_token(), move.moved, move.length_before, move.length_after,
               move.cosine);
    Sheet::Table& table = sheet.list("nearest");
    table.add({"before", "之前"}, {neighbour_text(move.before, tokenizer, 5)});
    table.add({"after", "之后"}, {neighbour_text(move.after, tokenizer, 5)});
}

void write_residual(Sheet& sheet, const WorkedForward& f, const Tokenizer& tokenizer) {
    sheet.section("residual", {"Residual: context moves the vector", "残差连接：上下文使向量移动"});
    const WorkedMove& move = f.moves[std::size_t(2 * f.focus.block)];
    sheet.text({"x' = x + output: x passes as it is, and the branch adds to it. Here the output is "
                "%.2f times as long as x.",
                "x' = x + 输出：x 原样通过，分支的输出加在上面。这里输出的范数是 x 的 %.2f 倍。"},
               move.moved / std::max(move.length_before, 1e-30));
    write_move(sheet, f, move, tokenizer, f.norm_1.x, f.attention.output, f.residual_1);
}

void write_feed_forward(Sheet& sheet, const WorkedForward& f, const Tokenizer& tokenizer) {
    sheet.section("feed_forward", {"Feed-forward layer", "前馈网络 FFN"});
    sheet.text({"Each position on its own: widen, apply GELU, narrow.",
                "每个位置各算各的：升维、非线性激活、降维。"});
    write_norm(sheet, "norm_2", f.norm_2);
    sheet.formula(
        f.in_numbers("FFN = GELU(X · W_1 + b_1) · W_2 + b_2:   [1, T, C] → [1, T, F] → [1, T, C]"));
    Sheet::Table& table = sheet.matrix("hidden");
    table.add("X · W_1 + b_1", f.hidden);
    table.add("GELU", f.gelu);
    sheet.text(
        {"%td of %td numbers are above 0 before GELU.", "GELU 之前有 %td / %td 个数大于 0。"},
        std::ranges::count_if(f.hidden, [](double x) { return x > 0; }), f.config.width());
    write_move(sheet, f, f.moves[std::size_t(2 * f.focus.block + 1)], tokenizer, f.residual_1,
               f.ffn_output, f.residual_2);
}

void write_stack(Sheet& sheet, const WorkedForward& f, const Tokenizer& tokenizer) {
    sheet.section("stack", {"All blocks: the way of this vector", "走完所有层：这个向量的变化"});
    const WorkedMove& most = *std::ranges::max_element(f.moves, {}, &WorkedMove::moved);
    sheet.text(
        {"The longest move is made by %1$s of block %2$td: ‖Δx‖ = %3$.4f, where ‖x‖ was %4$.4f. "
         "Before it the nearest row of E is %5$s, after it %6$s.",
         "移动最大的一次是第 %2$td 层的%1$s：‖Δx‖ = %3$.4f，而移动之前 ‖x‖ = %4$.4f。移动之前，"
         "E 里离 x 最近的是“%5$s”，之后是“%6$s”。"},
        most.attention ? Words{"the attention", "注意力"} : Words{"the FFN", " FFN"}, most.block,
        most.moved, most.length_before, nearest_name(most.before, tokenizer),
        nearest_name(most.after, tokenizer));
    if (f.config.tied)
        sheet.text({"The output uses the same table E: at the end the nearest row is %s, and the "
                    "likeliest next token %s.",
                    "输出层用的是同一张表 E：走完所有层，离 x 最近的是“%s”，概率最大的下一个 token "
                    "是“%s”。"},
                   nearest_name(f.moves.back().after, tokenizer), f.predictions.front().name);
    Sheet::Table& table = sheet.list(
        "moves",
        {"‖Δx‖", "‖x‖", {"cosine", "余弦"}, {"nearest before", "之前最近"}, {"after", "之后最近"}});
    for (const WorkedMove& move : f.moves)
        table.add(
            say({"block %td %s", "第 %td 层 %s"}, move.block,
                move.attention ? Words{"attention", "注意力"} : Words{"FFN", "FFN"}),
            {move.moved, move.length_after, move.cosine, neighbour_text(move.before, tokenizer, 2),
             neighbour_text(move.after, tokenizer, 2)});
}

void write_prediction(Sheet& sheet, const WorkedForward& f) {
    sheet.section("prediction",
                  {"From the last vector to the next character", "从最后的向量到下一个字"});
    const Words table = f.config.tied ? Words{"each row of E itself", "词向量表 E 的每一行"}
                                      : Words{"each column of W", "输出矩阵的每一列"};
    sheet.text({"One more LayerNorm, then a dot product with %s: the logits.",
                "再做一次 LayerNorm，然后与%s做点积，得到 logits。"},
               table);
    sheet.matrix("final_norm").add("X", f.final_norm.y);
    sheet.formula(f.in_numbers("logits:   [1, T, C] · [C, V] → [1, T, V]   p = softmax(logits)"));
    Sheet::Table& list = sheet.list("predictions", {"logit", "p"});
    for (const WorkedPrediction& p : f.predictions) list.add(p.name, {p.logit, p.probability});
    list.total(
        say({"other %td", "其余 %td 个 token"}, f.config.vocabulary - std::ssize(f.predictions)),
        {Sheet::Cell(), f.others});
}

}  // namespace

void write_forward(Sheet& sheet, const WorkedForward& f, const Tokenizer& tokenizer) {
    write_tokens(sheet, f);
    write_embedding(sheet, f);
    write_block_input(sheet, f);
    write_attention(sheet, f, f.attention);
    write_residual(sheet, f, tokenizer);
    write_feed_forward(sheet, f, tokenizer);
    write_stack(sheet, f, tokenizer);
    write_prediction(sheet, f);
}

}  // namespace zhuyi
