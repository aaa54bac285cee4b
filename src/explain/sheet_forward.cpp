#include "explain/sheet_forward.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/math.h"

namespace zhuyi {
namespace {

using Labels = std::vector<std::string>;

void write_text(SheetWriter& w, const WorkedForward& f) {
    w.section("tokens", "The text as tokens", "把文字变成 token");
    Sheet::Table table{"tokens", "", {"token", "id", ""}, {}, false};
    for (std::size_t t = 0; t < f.tokens.size(); ++t)
        table.rows.push_back(
            {format("%zu", t),
             {f.tokens[t], format("%d", int(f.ids[t])),
              Index(t) == f.place.query ? w.in("← followed here", "← 跟着它看") : std::string()}});
    w.table(std::move(table));
}

void write_embedding(SheetWriter& w, const WorkedForward& f,
                     const std::optional<TrainedRow>& trained) {
    const std::string token = f.query_token();
    w.section("embedding", "Embedding", "词向量");
    w.text("The token's row of the table E is copied, the row of its position is added: x.",
           "从词向量表 E 里抄出这个 token 的那一行，加上它所在位置的那一行，得到 x。");
    write_sum(
        w, "embedding", "x = E[token] + P[position]  " + shape_text({f.config.channels}),
        {{"E[" + token + "]", f.token_row}, {format("P[%td]", f.place.query), f.position_row}}, "x",
        f.embedding);
    if (!trained) return;
    w.text(format("Training moved this row E[%s] by ‖ΔE‖ = %.4f in %td steps (cosine to where it "
                  "started: %.4f). Below, context moves the copy x; E itself stays as it is.",
                  token.c_str(), trained->moved, trained->step, trained->cosine),
           format("训练挪动的是表里的这一行：%td 步里 E[%s] 移动了 ‖ΔE‖ = %.4f（与起点的余弦 "
                  "%.4f）。下面各块里，上下文挪动的是抄出来的 x；E 本身不变。",
                  trained->step, token.c_str(), trained->moved, trained->cosine));
}

void write_norm(SheetWriter& w, const char* key, const WorkedNorm& n, const std::string& x,
                const std::string& y) {
    w.formula("n = (x - μ) · r,   r = 1/√(σ² + 1e-5),   " + y + " = γ · n + β");
    w.formula(format("μ = %.4f   σ² = %.4f   r = %.4f", n.mean, n.variance, n.rstd));
    Sheet::Table table{key,
                       "",
                       {},
                       {{x, cells(n.x)},
                        {"n", cells(n.normalised)},
                        {"γ", cells(n.gamma)},
                        {"β", cells(n.beta)},
                        {y, cells(n.y), true}}};
    w.table(std::move(table));
}

void write_block_input(SheetWriter& w, const WorkedForward& f) {
    const Index layer = f.place.layer;
    w.section("norm_1", format("Into block %td: LayerNorm", layer),
              format("进入第 %td 块：LayerNorm（层归一化）", layer));
    if (layer > 0)
        w.text(layer == 1 ? "x is what block 0 made of it."
                          : format("x is what blocks 0 to %td made of it.", layer - 1),
               layer == 1 ? "这里的 x 是第 0 块的输出。"
                          : format("这里的 x 是第 0 到第 %td 块处理之后的结果。", layer - 1));
    write_norm(w, "norm_1", f.norm_1, "x", "X");
}

void write_move(SheetWriter& w, const WorkedForward& f, const WorkedMove& move,
                const Tokenizer& tokenizer, std::span<const double> x,
                std::span<const double> delta, std::span<const double> y) {
    write_sum(w, move.attention ? "residual_1" : "residual_2", "",
              {{"x", x}, {move.attention ? w.in("output", "输出") : "FFN", delta}}, "x'", y);
    w.text(format("%s moved the vector of %s by ‖Δx‖ = %.4f (length %.4f → %.4f, cosine "
                  "%.4f). Nearest characters of E:",
                  move.attention ? "Context" : "The feed-forward layer", f.query_token().c_str(),
                  move.moved, move.length_before, move.length_after, move.cosine),
           format("%s把“%s”的向量挪动了 ‖Δx‖ = %.4f（长度 %.4f → %.4f，前后余弦 %.4f）。"
                  "E 里离它最近的字：",
                  move.attention ? "上下文" : "前馈层", f.query_token().c_str(), move.moved,
                  move.length_before, move.length_after, move.cosine));
    w.table({"nearest",
             "",
             {},
             {{w.in("before", "之前"), {neighbour_text(move.before, tokenizer, 5)}},
              {w.in("after", "之后"), {neighbour_text(move.after, tokenizer, 5)}}},
             false});
}

void write_feed_forward(SheetWriter& w, const WorkedForward& f, const Tokenizer& tokenizer) {
    const Index T = std::ssize(f.ids), C = f.config.channels, F = f.config.width();
    w.section("feed_forward", "Feed-forward layer", "前馈层 FFN");
    w.text("Each position on its own: widen, bend, narrow.",
           "每个位置各算各的：升维、弯折、降维。");
    write_norm(w, "norm_2", f.norm_2, "x", "X");
    w.formula("FFN = GELU(X · W_1 + b_1) · W_2 + b_2:   " + shape_text({1, T, C}) + " → " +
              shape_text({1, T, F}) + " → " + shape_text({1, T, C}));
    Sheet::Table table{
        "hidden", "", {}, {{"X · W_1 + b_1", cells(f.hidden)}, {"GELU", cells(f.gelu)}}};
    w.table(std::move(table));
    const auto awake =
        std::count_if(f.hidden.begin(), f.hidden.end(), [](double x) { return x > 0; });
    w.text(format("%td of %td units are above 0.", Index(awake), F),
           format("%td 个单元中有 %td 个大于 0。", F, Index(awake)));
    const std::size_t at = std::size_t(2 * f.place.layer + 1);
    write_move(w, f, f.moves[at], tokenizer, f.residual_1, f.ffn_output, f.residual_2);
}

void write_stack(SheetWriter& w, const WorkedForward& f, const Tokenizer& tokenizer) {
    w.section("stack", "All blocks: the way of this vector", "走完所有块：这个向量的一路");
    if (f.config.tied)
        w.text(
            "The output uses the same table E, so on its way x turns from the character it came "
            "from towards the one the model expects next.",
            "输出层用的是同一张表 E，所以 x "
            "一路走来，从像自己这个字，渐渐转向模型预期的下一个字。");
    Sheet::Table table{"moves",
                       "",
                       {"‖Δx‖", "‖x‖", w.in("cosine", "余弦"), w.in("nearest before", "之前最近"),
                        w.in("after", "之后最近")},
                       {},
                       false};
    for (const WorkedMove& move : f.moves)
        table.rows.push_back(
            {format("%s %td ", w.in("block", "块").c_str(), move.layer) +
                 (move.attention ? w.in("attention", "注意力") : "FFN"),
             {move.moved, move.length_after, move.cosine, neighbour_text(move.before, tokenizer, 2),
              neighbour_text(move.after, tokenizer, 2)}});
    w.table(std::move(table));
}

void write_prediction(SheetWriter& w, const WorkedForward& f) {
    w.section("prediction", "From the last vector to the next character", "从最后的向量到下一个字");
    w.text(
        std::string("One more LayerNorm, then a dot product with ") +
            (f.config.tied ? "each row of E itself: the logits." : "each column of W: the logits."),
        std::string("再做一次 LayerNorm，然后与") +
            (f.config.tied ? "词向量表 E 的每一行做点积，得到 logits。"
                           : "输出矩阵的每一列做点积，得到 logits。"));
    w.vector("final_norm", "", "X", f.final_norm.y);
    const Index T = std::ssize(f.ids), C = f.config.channels, V = f.config.vocabulary;
    w.formula("logits:   " + shape_text({1, T, C}) + " · " + shape_text({C, V}) + " → " +
              shape_text({1, T, V}) + "   p = softmax(logits)");
    Sheet::Table table{"predictions", "", {"logit", "p"}, {}, false};
    for (const WorkedPrediction& p : f.predictions)
        table.rows.push_back({p.name, {p.logit, p.probability}});
    table.rows.push_back({format("%s %td", w.in("other", "其余").c_str(),
                                 f.config.vocabulary - std::ssize(f.predictions)),
                          {Sheet::Cell(), f.others},
                          true});
    w.table(std::move(table));
}

}  // namespace

std::vector<std::string> place_labels(const std::vector<std::string>& tokens) {
    Labels labels;
    for (std::size_t t = 0; t < tokens.size(); ++t) labels.push_back(format("%zu ", t) + tokens[t]);
    return labels;
}

std::string neighbour_text(const std::vector<Neighbour>& near, const Tokenizer& tokenizer,
                           std::size_t most) {
    std::string text;
    for (std::size_t i = 0; i < std::min(most, near.size()); ++i)
        text += (i ? "  " : "") + tokenizer.name(near[i].token) + format(" %.2f", near[i].cosine);
    return text;
}

void write_sum(SheetWriter& w, const char* key, const std::string& caption,
               const std::vector<std::pair<std::string, std::span<const double>>>& parts,
               const std::string& label, std::span<const double> sum) {
    Sheet::Table table{key, caption, {}, {}};
    for (const auto& [name, numbers] : parts) table.rows.push_back({name, cells(numbers)});
    table.rows.push_back({label, cells(sum), true});
    w.table(std::move(table));
}

void write_forward(SheetWriter& w, const WorkedForward& f, const Tokenizer& tokenizer,
                   const std::optional<TrainedRow>& trained) {
    write_text(w, f);
    write_embedding(w, f, trained);
    write_block_input(w, f);
    write_head(w, f);
    w.section("residual", "Residual: context moves the vector", "残差：上下文挪动向量");
    w.text("x' = x + output: the block adds to the vector, it does not replace it.",
           "x' = x + 输出：块只是往向量上加一笔，并不替换它。");
    write_move(w, f, f.moves[std::size_t(2 * f.place.layer)], tokenizer, f.norm_1.x,
               f.attention_output, f.residual_1);
    write_feed_forward(w, f, tokenizer);
    write_stack(w, f, tokenizer);
    write_prediction(w, f);
}

}  // namespace zhuyi
