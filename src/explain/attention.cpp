// The attention of one block as a sheet, seen from one position through one head.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "autograd/tape.h"
#include "base/format.h"
#include "base/math.h"
#include "explain/forward.h"
#include "formats/sheet_format.h"
#include "ops/rotary.h"

namespace zhuyi {
static void write_projections(Sheet& sheet, const Reading& r) {
    const Index D = r.config.head_size(), q = r.focus.query, h = r.focus.head;
    sheet.section("projections",
                  {"Query, keys and values of head %td", "头 %td 的查询 Q、键 K、值 V"}, h);
    sheet.formula(r.in_numbers(
        "Q = X · W_Q + b_Q:   [1, T, C] · [C, C] → [1, T, C] → [1, T, H, D] → [1, H, T, D]"));
    sheet.text(
        {"Shapes read [batch, seq, d] → [batch, seq, heads, d_head] → [batch, heads, seq, "
         "d_head]; head %td owns columns %td to %td of W_Q, W_K and W_V.",
         "形状依次是 [批次, 序列, d] → [批次, 序列, 头, 每头维度] → [批次, 头, 序列, 每头维度]"
         "；头 %td 用 W_Q、W_K、W_V 的第 %td 到 %td 列。"},
        h, h * D, h * D + D - 1);
    const Grid X = r.pass.values(r.own("norm_1"));  // (T, C)
    for (const std::string name : {"Q", "K", "V"}) {
        sheet.product(r.token(name.c_str()) + "[0]", X.row(q),
                      columns_of(r.matrix("attention.W_" + name), 0, 1).values,
                      r.part("attention." + name).at(q, 0),
                      r.model.bias(r.own("attention.b_" + name))[h * D]);
    }
    for (const std::string name : {"Q", "K", "V"}) {
        const Grid y = r.part("attention." + name);
        sheet.matrix(name, with_shape(name, y.shape()), r.labels(), y);
    }
}

constexpr double kTurn = 6.283185307179586;  // radians
constexpr Index kMoved = 100;                // positions by which both go on together

// Shows the first pair of channels of the query and of a key, before their turn and after it.
static void write_pair(Sheet& sheet, const Reading& r, Index key) {
    const Index D = r.config.head_size(), half = D / 2;
    Sheet::Table& table = sheet.list("rotation", {{"position t", "位置 t"},
                                                  "t · θ_0",
                                                  "cos",
                                                  "sin",
                                                  {"channel 0", "第 0 维"},
                                                  say({"channel %td", "第 %td 维"}, half),
                                                  {"0, turned", "旋转后第 0 维"},
                                                  say({"%td, turned", "旋转后第 %td 维"}, half)});
    for (const auto& [name, t] : {std::pair("Q", r.focus.query), std::pair("K", key)}) {
        const std::string before = std::string("attention.") + name;
        const Grid x = r.part(before), y = r.part(r.met(before));
        const double angle = rotary_angle(t, 0, D);
        table.add((*name == 'Q' ? "q[" : "k[") + r.tokens[t] + "]",
                  {std::to_string(t), angle * kTurn, math::cos_turns(angle), math::sin_turns(angle),
                   x.at(t, 0), x.at(t, half), y.at(t, 0), y.at(t, half)});
    }
    // q'[0] = a cos + b (- sin), q'[D/2] = a sin + b cos
    for (const char* name : {"q", "k"}) {
        const Sheet::Row& turn = table.row(*name == 'q' ? 0 : 1);
        const double cosine = turn.number(2), sine = turn.number(3);
        const double x[] = {turn.number(4), turn.number(5)};
        const double first[] = {cosine, -sine}, second[] = {sine, cosine};
        const std::string turned =
            std::string(name) + "'[" + r.tokens[*name == 'q' ? r.focus.query : key] + "]";
        sheet.product(turned + "[0]", x, first, turn.number(6));
        sheet.product(format("%s[%td]", turned.c_str(), half), x, second, turn.number(7));
    }
}

// Returns a vector of this head as the op itself turns it at some position.
static Numbers at_position(std::span<const double> x, Index position) {
    const Index D = std::ssize(x);
    std::vector<Real> table = rotary_angles(position + 1, D);
    Tape tape(false);
    const Tensor angles{table.data(), nullptr, nullptr, {position + 1, D}};
    return Grid(rotary(constant(tape, {1, 1, D}, x), angles, 1, position)).values;
}

static void write_distance(Sheet& sheet, const Reading& r, Index key) {
    sheet.text(
        {"The score depends on the distance alone. The same q of %s and k of %s, as they "
         "would be %td positions on: both have turned further, by the same angle, and the "
         "score stays. Move only the query, and it changes.",
         "分数只与距离有关。把“%s”的 q 和“%s”的 k 都往后移 %td 个位置：两者多转了同样的角度，"
         "分数不变；只移动查询，分数就变了。"},
        r.query_token(), r.tokens[key], kMoved);
    Sheet::Table& table =
        sheet.list("rotation_distance",
                   {{"q at", "q 的位置"}, {"k at", "k 的位置"}, {"distance", "距离"}, "q' · k'"});
    const Index q = r.focus.query;
    const std::tuple<Label, Index, Index> places[] = {
        {{"in this text", "这段文字里"}, q, key},
        {{"both moved on", "一起后移"}, q + kMoved, key + kMoved},
        {{"the query alone", "只移查询"}, q + kMoved, key}};
    const Grid Q = r.part("attention.Q"), K = r.part("attention.K");
    for (const auto& [name, q_at, k_at] : places)
        table.add(name, {std::to_string(q_at), std::to_string(k_at), std::to_string(q_at - k_at),
                         dot(at_position(Q.row(q), q_at), at_position(K.row(key), k_at))});
}

// Shows a query and a key before and after their turn, and their score when both move on together.
static void write_rotation(Sheet& sheet, const Reading& r) {
    const Index D = r.config.head_size(), q = r.focus.query;
    const double fastest = rotary_angle(1, 0, D) * kTurn;
    const double slowest = rotary_angle(1, D / 2 - 1, D) * kTurn;
    // Of the keys before the query this one gets the largest weight.
    const Index key = q > 0 ? largest(r.weights().row(q).first(std::size_t(q))) : 0;
    sheet.section("rotation",
                  {"Rotary positions: q and k are turned", "旋转位置编码 RoPE：按位置旋转 q 和 k"});
    sheet.formula(
        "q'[i] = q[i] cos tθ_i - q[i+D/2] sin tθ_i,   "
        "q'[i+D/2] = q[i] sin tθ_i + q[i+D/2] cos tθ_i,   θ_i = 10000^(-2i/D)");
    sheet.text(
        {"Channels i and i + %1$td of a head are the two coordinates of a point. At position t it "
         "is turned by t · θ_i; V is not turned. Pair 0 turns fastest, by %2$.4f radians a "
         "position, once around in %3$.1f positions; pair %4$td slowest, once around in %5$.0f. "
         "The fast pairs tell neighbours apart, the slow ones far from near.",
         "每个头的第 i 维和第 i + %1$td 维看作平面上一个点的两个坐标；在位置 t，这个点旋转 "
         "t · θ_i。V 不旋转。第 0 对转得最快，每个位置 %2$.4f 弧度，%3$.1f 个位置转一圈；第 "
         "%4$td 对最慢，%5$.0f 个位置才转一圈。快的分清相邻位置，慢的分清远近。"},
        D / 2, fastest, kTurn / fastest, D / 2 - 1, kTurn / slowest);
    write_pair(sheet, r, key);
    for (const std::string name : {"Q", "K"}) {
        const Grid turned = r.part(r.met("attention." + name));
        sheet.matrix(name + "_turned", with_shape(name + "'", turned.shape()), r.labels(), turned);
    }
    write_distance(sheet, r, key);
    sheet.text({"From here on Q and K are the turned ones.", "下面的 Q、K 都是旋转之后的。"});
}

static void write_similarity(Sheet& sheet, const Reading& r, const Grid& products) {
    const Labels labels = r.labels();
    const Grid X = r.pass.values(r.own("norm_1")), similarity = rows_with_rows(X, X);
    sheet.section("similarity",
                  {"Plain similarity X · Xᵀ beside Q · Kᵀ", "对照：直接点积 X · Xᵀ 与 Q · Kᵀ"});
    sheet.text(
        {"Without W_Q and W_K a character would attend to what resembles it, above all to itself, "
         "and as much there as back: X · Xᵀ is symmetric. W_Q and W_K learn who should look at "
         "whom, which need not be mutual.",
         "没有 W_Q 和 W_K，每个字只会注意和自己像的字（首先是它自己），而且总是相互的：X · Xᵀ 是对"
         "称的。W_Q、W_K 学的是“谁该看谁”，不必相互。"});
    sheet.matrix("similarity", with_shape("X · Xᵀ", similarity.shape()), labels, similarity,
                 labels);
    sheet.matrix("products", with_shape("Q · Kᵀ", products.shape()), labels, products, labels);
}

static void write_scores(Sheet& sheet, const Reading& r, const Grid& products) {
    const Index q = r.focus.query, D = r.config.head_size();
    const Grid Q = r.part(r.met("attention.Q")), K = r.part(r.met("attention.K"));
    sheet.section("scores",
                  {"Scores against every character so far", "与自己和前面每个字的注意力分数"});
    sheet.formula(r.in_numbers("Q · Kᵀ / √d_k:   [1, H, T, D] · [1, H, D, T] → [1, H, T, T]"));
    Sheet::Table& table =
        sheet.list("scores", {"q · k", "‖q‖", "‖k‖", {"cosine", "余弦"}, format("÷ √%td", D)});
    for (Index s = 0; s <= q; ++s)
        table.add(r.labels()[s],
                  {products.at(q, s), length(Q.row(q)), length(K.row(s)),
                   cosine(Q.row(q), K.row(s)), products.at(q, s) / std::sqrt(double(D))});
    const Index best = largest(r.weights().row(q));
    sheet.product(r.token("q") + " · k[" + r.tokens[best] + "]", Q.row(q), K.row(best),
                  products.at(q, best));
    sheet.text(
        {"q · k = ‖q‖ ‖k‖ cos: a key scores high when it points the query's way; the longer "
         "it is, the larger the score (and the lower, where the cosine is negative).",
         "q · k = ‖q‖ ‖k‖ cos：键与查询方向相近，分数就高；键越长，分数的绝对值越大（余弦为负"
         "时反而更低）。"});
}

static void write_softmax(Sheet& sheet, const Reading& r, const Grid& products) {
    const Index q = r.focus.query, T = r.length();
    const Numbers weights = r.weights().row_copy(q);  // 0 after q
    const Numbers unscaled = softmax(products.row(q).first(std::size_t(q) + 1));
    Numbers scaled;
    for (Index s = 0; s <= q; ++s)
        scaled.push_back(products.at(q, s) / std::sqrt(double(r.config.head_size())));
    const double top = scaled[largest(scaled)];  // the op takes it off: no exponential overflows
    sheet.section("softmax", {"Mask and softmax", "掩码与 softmax"});
    if (q + 1 < T)
        sheet.text({"What comes after position %td is masked (·): -∞, weight 0.",
                    "位置 %td 之后的字被因果掩码遮住（·）：当作 -∞，权重为 0。"},
                   q);
    Sheet::Table& table = sheet.list("softmax", {"a = q·k/√d",
                                                 "e^(a - " + factor_text(top, 4) + ")",
                                                 {"weight", "注意力权重"},
                                                 {"unscaled", "不缩放时"}});
    double sum = 0, total = 0;
    for (Index s = 0; s < T; ++s) {
        const Label label = r.labels()[s];
        if (s > q) {
            table.add(label, std::vector(4, Cell::masked()));
            continue;
        }
        const double exponential = math::exp(scaled[s] - top);
        table.add(label, {scaled[s], exponential, weights[s], unscaled[s]});
        sum += exponential, total += weights[s];
    }
    table.total({"sum", "和"}, {Cell(), sum, total, 1.0});
    sheet.text(
        {"Entropy %.4f nats, unscaled %.4f (at most ln %td = %.4f). The model was trained with "
         "scaling; “unscaled” only shows what softmax would make of the same scores.",
         "熵 %.4f 奈特，不缩放时 %.4f（最多 ln %td = %.4f）。模型是带缩放训练的；“不缩放时”只"
         "说明同样的分数不缩放会得到什么。"},
        entropy(weights), entropy(unscaled), q + 1, math::log(double(q + 1)));
}

static void write_mix(Sheet& sheet, const Reading& r) {
    const Index q = r.focus.query;
    const Grid V = r.part("attention.V"), weights = r.weights();
    sheet.section("mix", {"Weighted sum of the values", "对 V 加权求和"});
    sheet.formula(say({"weights · V:   %s", "注意力权重 · V:   %s"},
                      r.in_numbers("[1, H, T, T] · [1, H, T, D] → [1, H, T, D]")));
    const std::string mix = format("mix_%td", r.focus.head);
    Sheet::Table& table = sheet.matrix("mix", with_shape(mix, {V.columns}));
    for (Index s = 0; s <= q; ++s)
        table.add(format("%.4f · V[%s]", weights.at(q, s), r.labels()[s].c_str()),
                  scaled(V.row(s), weights.at(q, s)));
    table.total(mix, r.part("attention.mix").row(q));
}

static void write_output(Sheet& sheet, const Reading& r) {
    const Index H = r.config.heads, D = r.config.head_size(), C = r.config.channels;
    sheet.section("concatenation", {"Concatenation of the heads", "拼接各头"});
    sheet.formula(r.in_numbers("[1, H, T, D] → [1, T, H, D] → [1, T, C]"));
    Labels heads;
    for (Index h = 0; h < H; ++h) heads.push_back(format("mix_%td", h));
    sheet.matrix("concatenation", say({"side by side in one row of %td", "并排成一行，长 %td"}, C),
                 heads, Grid(H, D, r.at_query(r.own("attention.mix"))));

    sheet.section("output", {"Output: · W_O", "输出投影：· W_O"});
    sheet.text(
        {"The row times W_O is the sum of what each head adds by itself: mix_h times its own "
         "rows of W_O.",
         "整行乘 W_O，等于各头各自贡献之和：mix_h 乘 W_O 里归它的那几行。"});
    Sheet::Table& sum = sheet.matrix("output");
    Sheet::Table& shares = sheet.list(
        "head_lengths", {{"length", "范数"}, {"share along the sum", "在总输出方向上的占比"}});
    const Grid parts = head_parts(r.model, r.pass, r.focus.block, r.focus.query);
    const Numbers output = r.at_query(r.own("attention.output"));
    const double whole = std::max(dot(output, output), 1e-30);
    for (Index h = 0; h < H; ++h) {
        const std::string label = format("mix_%td · W_O[%td]", h, h);
        sum.add(label, parts.row(h));
        shares.add(label, {length(parts.row(h)), dot(parts.row(h), output) / whole});
    }
    sum.add("b_O", r.model.bias(r.own("attention.b_O")));
    sum.total({"output", "输出"}, output);
}

void write_attention(Sheet& sheet, const Reading& r) {
    const Grid products = r.products();
    write_projections(sheet, r);
    if (r.rotary()) write_rotation(sheet, r);
    write_similarity(sheet, r, products);
    write_scores(sheet, r, products);
    write_softmax(sheet, r, products);
    write_mix(sheet, r);
    write_output(sheet, r);
}

}  // namespace zhuyi
