#include "explain/attention.h"

#include <algorithm>

#include "autograd/tape.h"
#include "base/format.h"
#include "base/math.h"
#include "formats/sheet_format.h"
#include "model/gpt.h"
#include "ops/linear.h"

namespace zhuyi {

Grid head_parts(const WorkedModel& model, const WorkedPass& pass, Index block, Index position) {
    const GptConfig& config = model.model.config();
    const Index C = config.channels, D = config.head_size();
    const Grid W_O = model.value(block_name(block, "attention.W_O"));
    const Numbers mix = pass.values(block_name(block, "attention.mix")).row_copy(position);
    Grid parts(config.heads, C);
    for (Index i = 0; i < C; ++i)
        for (Index c = 0; c < C; ++c) parts.at(i / D, c) += mix[std::size_t(i)] * W_O.at(i, c);
    return parts;
}

WorkedAttention worked_attention(const WorkedModel& model, const WorkedText& text,
                                 const WorkedPass& pass) {
    const Index T = text.length(), D = text.config.head_size(), q = text.focus.query;
    const Index first = text.focus.head * D;
    const auto name = [&](const char* rest) { return block_name(text.focus.block, rest); };
    const auto part = [&](const char* rest) {
        return columns_of(pass.values(name(rest)), first, D);
    };
    const auto weight = [&](const char* rest) {
        return columns_of(model.value(name(rest)), first, D);
    };
    const auto bias = [&](const char* rest) {
        const Numbers all = model.bias(name(rest));
        return Numbers(all.begin() + first, all.begin() + first + D);
    };
    WorkedAttention a;
    a.X = pass.values(name("norm_1"));
    a.W_Q = weight("attention.W_Q"), a.b_Q = bias("attention.b_Q");
    a.W_K = weight("attention.W_K"), a.b_K = bias("attention.b_K");
    a.W_V = weight("attention.W_V"), a.b_V = bias("attention.b_V");
    const Grid all_weights = pass.values(name("attention.weights"));  // (H T, T)
    const Grid weights = rows_of(all_weights, text.focus.head * T, T);
    const bool turned = text.config.position == Position::rotary;
    a.Q = part("attention.Q"), a.K = part("attention.K");
    Tape tape(false);
    a.head = worked_head(tape, turned ? part("attention.Q_turned") : a.Q,
                         turned ? part("attention.K_turned") : a.K, part("attention.V"), weights,
                         part("attention.mix"), Mask::causal, true);
    if (turned) a.rotation = worked_rotation(text, a.Q, a.K, a.head);
    const Tensor rows = constant(tape, a.X.shape(), a.X.values);
    a.similarity = Grid(unembedding(rows, rows));
    a.unscaled = softmax(a.head.products.row(q).first(std::size_t(q) + 1));
    a.concatenation = pass.values(name("attention.mix")).row_copy(q);
    a.head_parts = head_parts(model, pass, text.focus.block, q);
    a.b_O = model.bias(name("attention.b_O"));
    a.output = pass.values(name("attention.output")).row_copy(q);
    return a;
}

// ---- the sheet

namespace {

void write_projections(Sheet& sheet, const WorkedText& text, const WorkedAttention& a) {
    const Index D = text.config.head_size(), q = text.focus.query, h = text.focus.head;
    sheet.section("projections",
                  {"Query, keys and values of head %td", "头 %td 的查询 Q、键 K、值 V"}, h);
    sheet.formula(text.in_numbers(
        "Q = X · W_Q + b_Q:   [1, T, C] · [C, C] → [1, T, C] → [1, T, H, D] → [1, H, T, D]"));
    sheet.text(
        {"Shapes read [batch, seq, d] → [batch, seq, heads, d_head] → [batch, heads, seq, "
         "d_head]; head %td owns columns %td to %td of W_Q, W_K and W_V.",
         "形状依次是 [批次, 序列, d] → [批次, 序列, 头, 每头维度] → [批次, 头, 序列, 每头维度]"
         "；头 %td 用 W_Q、W_K、W_V 的第 %td 到 %td 列。"},
        h, h * D, h * D + D - 1);
    const auto product = [&](const char* name, const Grid& W, const Numbers& b, const Grid& y) {
        sheet.product(format("%s[%s][0]", name, text.query_token().c_str()), a.X.row(q),
                      columns_of(W, 0, 1).values, y.at(q, 0), b[0]);
    };
    product("Q", a.W_Q, a.b_Q, a.Q);
    product("K", a.W_K, a.b_K, a.K);
    product("V", a.W_V, a.b_V, a.head.V);
    sheet.matrix("Q", with_shape("Q", a.Q.shape()), text.labels(), a.Q);
    sheet.matrix("K", with_shape("K", a.K.shape()), text.labels(), a.K);
    sheet.matrix("V", with_shape("V", a.head.V.shape()), text.labels(), a.head.V);
}

void write_similarity(Sheet& sheet, const WorkedText& text, const WorkedAttention& a) {
    const Labels labels = text.labels();
    sheet.section("similarity",
                  {"Plain similarity X · Xᵀ beside Q · Kᵀ", "对照：直接点积 X · Xᵀ 与 Q · Kᵀ"});
    sheet.text(
        {"Without W_Q and W_K a character would attend to what resembles it, above all to itself, "
         "and as much there as back: X · Xᵀ is symmetric. W_Q and W_K learn who should look at "
         "whom, which need not be mutual.",
         "没有 W_Q 和 W_K，每个字只会注意和自己像的字（首先是它自己），而且总是相互的：X · Xᵀ 是对"
         "称的。W_Q、W_K 学的是“谁该看谁”，不必相互。"});
    sheet.matrix("similarity", with_shape("X · Xᵀ", a.similarity.shape()), labels, a.similarity,
                 labels);
    sheet.matrix("products", with_shape("Q · Kᵀ", a.head.products.shape()), labels, a.head.products,
                 labels);
}

void write_scores(Sheet& sheet, const WorkedText& text, const WorkedHead& head) {
    const Index q = text.focus.query, D = text.config.head_size();
    const Labels labels = text.labels();
    sheet.section("scores",
                  {"Scores against every character so far", "与自己和前面每个字的注意力分数"});
    sheet.formula(text.in_numbers("Q · Kᵀ / √d_k:   [1, H, T, D] · [1, H, D, T] → [1, H, T, T]"));
    Sheet::Table& table =
        sheet.list("scores", {"q · k", "‖q‖", "‖k‖", {"cosine", "余弦"}, format("÷ √%td", D)});
    for (Index s = 0; s <= q; ++s)
        table.add(labels[std::size_t(s)],
                  {head.products.at(q, s), length(head.Q.row(q)), length(head.K.row(s)),
                   cosine(head.Q.row(q), head.K.row(s)), head.scaled.at(q, s)});
    const Index best = largest(head.weights.row(q));
    sheet.product("q[" + text.query_token() + "] · k[" + text.tokens[std::size_t(best)] + "]",
                  head.Q.row(q), head.K.row(best), head.products.at(q, best));
    sheet.text(
        {"q · k = ‖q‖ ‖k‖ cos: a key scores high when it points the query's way; the longer "
         "it is, the larger the score (and the lower, where the cosine is negative).",
         "q · k = ‖q‖ ‖k‖ cos：键与查询方向相近，分数就高；键越长，分数的绝对值越大（余弦为负"
         "时反而更低）。"});
}

void write_softmax(Sheet& sheet, const WorkedText& text, const WorkedAttention& a) {
    const Index q = text.focus.query, T = text.length();
    const WorkedHead& head = a.head;
    sheet.section("softmax", {"Mask and softmax", "掩码与 softmax"});
    if (q + 1 < T)
        sheet.text({"What comes after position %td is masked (·): -∞, weight 0.",
                    "位置 %td 之后的字被因果掩码遮住（·）：当作 -∞，权重为 0。"},
                   q);
    Sheet::Table& table =
        sheet.list("softmax", {"a = q·k/√d",
                               "e^(a - " + factor_text(head.shifts[std::size_t(q)], 4) + ")",
                               {"weight", "注意力权重"},
                               {"unscaled", "不缩放时"}});
    const Labels labels = text.labels();
    for (Index s = 0; s < T; ++s) {
        const std::size_t at = std::size_t(s);
        if (head.sees(q, s))
            table.add(labels[at], {head.scaled.at(q, s), head.exponentials.at(q, s),
                                   head.weights.at(q, s), a.unscaled[at]});
        else
            table.add(labels[at], std::vector(4, Sheet::Cell::masked()));
    }
    const auto seen = head.weights.row(q).first(std::size_t(q) + 1);
    double total = 0;
    for (double p : seen) total += p;
    table.total({"sum", "和"}, {Sheet::Cell(), head.sums[std::size_t(q)], total, 1.0});
    sheet.text({"Entropy %.4f nats, unscaled %.4f (at most ln %td = %.4f).",
                "熵 %.4f 奈特，不缩放时 %.4f（最多 ln %td = %.4f）。"},
               entropy(seen), entropy(a.unscaled), q + 1, math::log(double(q + 1)));
}

void write_mix(Sheet& sheet, const WorkedText& text, const WorkedHead& head) {
    const Index q = text.focus.query;
    const Labels labels = text.labels();
    sheet.section("mix", {"Weighted sum of the values", "对 V 加权求和"});
    sheet.formula(say({"weights · V:   %s", "注意力权重 · V:   %s"},
                      text.in_numbers("[1, H, T, T] · [1, H, T, D] → [1, H, T, D]")));
    const std::string mix = format("mix_%td", text.focus.head);
    Sheet::Table& table = sheet.matrix("mix", with_shape(mix, {head.V.columns}));
    for (Index s = 0; s <= q; ++s) {
        Numbers term = head.V.row_copy(s);
        for (double& x : term) x *= head.weights.at(q, s);
        table.add(
            say({"%.4f · V[%s]", "%.4f · V[%s]"}, head.weights.at(q, s), labels[std::size_t(s)]),
            term);
    }
    table.total(mix, head.mix.row(q));
}

void write_output(Sheet& sheet, const WorkedText& text, const WorkedAttention& a) {
    const Index H = text.config.heads, D = text.config.head_size(), C = text.config.channels;
    sheet.section("concatenation", {"Concatenation of the heads", "拼接各头"});
    sheet.formula(text.in_numbers("[1, H, T, D] → [1, T, H, D] → [1, T, C]"));
    Labels heads;
    for (Index h = 0; h < H; ++h) heads.push_back(format("mix_%td", h));
    sheet.matrix("concatenation", say({"side by side in one row of %td", "并排成一行，长 %td"}, C),
                 heads, Grid(H, D, a.concatenation));

    sheet.section("output", {"Output: · W_O", "输出投影：· W_O"});
    sheet.text(
        {"The row times W_O is the sum of what each head adds by itself: mix_h times its own "
         "rows of W_O.",
         "整行乘 W_O，等于各头各自贡献之和：mix_h 乘 W_O 里归它的那几行。"});
    Sheet::Table& sum = sheet.matrix("output");
    Sheet::Table& shares = sheet.list(
        "head_lengths", {{"length", "范数"}, {"share along the sum", "在总输出方向上的占比"}});
    const double whole = std::max(dot(a.output, a.output), 1e-30);
    for (Index h = 0; h < H; ++h) {
        const std::string label = format("mix_%td · W_O[%td]", h, h);
        const auto part = a.head_parts.row(h);
        sum.add(label, part);
        shares.add(label, {length(part), dot(part, a.output) / whole});
    }
    sum.add("b_O", a.b_O);
    sum.total({"output", "输出"}, a.output);
}

}  // namespace

void write_attention(Sheet& sheet, const WorkedText& text, const WorkedAttention& attention) {
    write_projections(sheet, text, attention);
    if (attention.rotation) write_rotation(sheet, text, attention.head, *attention.rotation);
    write_similarity(sheet, text, attention);
    write_scores(sheet, text, attention.head);
    write_softmax(sheet, text, attention);
    write_mix(sheet, text, attention.head);
    write_output(sheet, text, attention);
}

}  // namespace zhuyi
