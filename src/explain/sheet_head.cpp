// One head of the forward sheet: from Q, K, V to what the heads add to the vector.
#include <algorithm>

#include "base/format.h"
#include "base/math.h"
#include "explain/sheet_forward.h"

namespace zhuyi {
namespace {

using Labels = std::vector<std::string>;

void write_projections(SheetWriter& w, const WorkedForward& f, const Labels& labels) {
    const Index T = Index(f.ids.size()), C = f.config.channels, H = f.config.heads;
    const Index D = f.config.head_size(), q = f.place.query, h = f.place.head;
    w.section("projections", format("Query, keys and values of head %td", h),
              format("头 %td 的查询 Q、键 K、值 V", h));
    w.formula("Q = X · W_Q + b_Q:   " + shape_text({1, T, C}) + " · " + shape_text({C, C}) + " → " +
              shape_text({1, T, C}) + " → " + shape_text({1, T, H, D}) + " → " +
              shape_text({1, H, T, D}));
    w.text(format("Shapes read [batch, seq, d] → [batch, seq, heads, d_head] → [batch, heads, seq, "
                  "d_head]; head %td owns columns %td to %td of W_Q, W_K and W_V.",
                  h, h * D, h * D + D - 1),
           format("形状依次是 [批, 序列, d] → [批, 序列, 头, 每头维度] → [批, 头, 序列, 每头维度]；"
                  "头 %td 用 W_Q、W_K、W_V 的第 %td 到 %td 列。",
                  h, h * D, h * D + D - 1));
    const auto product = [&](const char* name, const Grid& W, const Numbers& b, const Grid& y) {
        w.product(format("%s[%s][0]", name, f.query_token().c_str()), f.norm_1.y,
                  columns_of(W, 0, 1).values, y.at(q, 0), b[0]);
    };
    product("Q", f.W_Q, f.b_Q, f.attention.Q);
    product("K", f.W_K, f.b_K, f.attention.K);
    product("V", f.W_V, f.b_V, f.attention.V);
    const auto matrix = [&](const char* name, const Grid& y) {
        w.matrix(name, name + ("  " + shape_text({T, D})), labels, y);
    };
    matrix("Q", f.attention.Q), matrix("K", f.attention.K), matrix("V", f.attention.V);
}

void write_similarity(SheetWriter& w, const WorkedForward& f, const Labels& labels) {
    const Index T = Index(f.ids.size());
    w.section("similarity", "Plain similarity X · Xᵀ beside Q · Kᵀ",
              "原本的相似度 X · Xᵀ 与 Q · Kᵀ 对照");
    w.text(
        "Without W_Q and W_K a character would attend to what resembles it, above all to itself, "
        "and as much there as back: X · Xᵀ is symmetric. W_Q and W_K learn who should look at "
        "whom, which need not be mutual.",
        "没有 W_Q 和 W_K，每个字只会注意和自己像的字（首先是它自己），而且总是相互的：X · Xᵀ 是对称"
        "的。W_Q、W_K 学的是“谁该看谁”，不必相互。");
    w.matrix("similarity", "X · Xᵀ  " + shape_text({T, T}), labels, f.similarity, labels);
    w.matrix("products", "Q · Kᵀ  " + shape_text({T, T}), labels, f.attention.products, labels);
}

void write_scores(SheetWriter& w, const WorkedForward& f, const Labels& labels) {
    const Index q = f.place.query, D = f.config.head_size();
    const WorkedHead& a = f.attention;
    const std::string token = f.query_token();
    w.section("scores", "Scores against every character so far", "和到此为止的每个字打分");
    const Index T = std::ssize(f.ids), H = f.config.heads;
    w.formula("Q · Kᵀ / √d_k:   " + shape_text({1, H, T, D}) + " · " + shape_text({1, H, D, T}) +
              " → " + shape_text({1, H, T, T}));
    const double q_length = length(a.Q.row(q));
    Sheet::Table table{"scores",
                       "",
                       {"q · k", "‖q‖", "‖k‖", w.in("cosine", "余弦"), format("÷ √%td", D)},
                       {},
                       false};
    for (Index s = 0; s <= q; ++s)
        table.rows.push_back({labels[std::size_t(s)],
                              {a.products.at(q, s), q_length, length(a.K.row(s)),
                               cosine(a.Q.row(q), a.K.row(s)), a.scaled.at(q, s)}});
    w.table(std::move(table));
    const Index best = largest(a.weights.row(q));
    w.product("q[" + token + "] · k[" + f.tokens[std::size_t(best)] + "]", a.Q.row(q),
              a.K.row(best), a.products.at(q, best));
    w.text(
        "q · k = ‖q‖ ‖k‖ cos: a key is heard when it points the query's way, and louder when it is "
        "long.",
        "q · k = ‖q‖ ‖k‖ cos：键的方向对上查询才有分，键越长分越高。");
}

void write_softmax(SheetWriter& w, const WorkedForward& f, const Labels& labels) {
    const Index q = f.place.query, T = Index(f.ids.size());
    const WorkedHead& a = f.attention;
    w.section("softmax", "Mask and softmax", "掩码与 softmax");
    if (q + 1 < T)
        w.text(format("What stands behind position %td is masked (·): -∞, weight 0.", q),
               format("位置 %td 之后的字被掩码挡住（·）：当作 -∞，权重为 0。", q));
    Sheet::Table table{"softmax",
                       "",
                       {"a = q·k/√d", format("e^(a - %.4f)", a.shifts[std::size_t(q)]),
                        w.in("weight", "权重"), w.in("unscaled", "不除 √d 时")},
                       {},
                       false};
    for (Index s = 0; s < T; ++s) {
        const Sheet::Cell hidden = Sheet::Cell::masked();
        const std::size_t at = std::size_t(s);
        table.rows.push_back(
            {labels[at], a.sees(q, s)
                             ? std::vector<Sheet::Cell>{a.scaled.at(q, s), a.exponentials.at(q, s),
                                                        a.weights.at(q, s), f.unscaled[at]}
                             : std::vector<Sheet::Cell>{hidden, hidden, hidden, hidden}});
    }
    const auto seen = a.weights.row(q).subspan(0, std::size_t(q) + 1);
    double total = 0;
    for (double p : seen) total += p;
    table.rows.push_back(
        {w.in("sum", "和"), {Sheet::Cell(), a.sums[std::size_t(q)], total, 1.0}, true});
    w.table(std::move(table));
    w.text(format("Entropy %.4f nats, unscaled %.4f (at most ln %td = %.4f).", entropy(seen),
                  entropy(f.unscaled), q + 1, math::log(double(q + 1))),
           format("熵 %.4f 奈特，不除 √d 时 %.4f（最多 ln %td = %.4f）。", entropy(seen),
                  entropy(f.unscaled), q + 1, math::log(double(q + 1))));
}

void write_mix(SheetWriter& w, const WorkedForward& f, const Labels& labels) {
    const Index q = f.place.query;
    const WorkedHead& a = f.attention;
    w.section("mix", "Mix of the values", "对 V 加权求和");
    const Index T = std::ssize(f.ids), H = f.config.heads, D = a.V.columns;
    w.formula(w.in("weights · V:   ", "权重 · V:   ") + shape_text({1, H, T, T}) + " · " +
              shape_text({1, H, T, D}) + " → " + shape_text({1, H, T, D}));
    Grid terms(q + 1, a.V.columns);
    std::vector<std::pair<std::string, std::span<const double>>> parts;
    for (Index s = 0; s <= q; ++s) {
        for (Index c = 0; c < a.V.columns; ++c) terms.at(s, c) = a.weights.at(q, s) * a.V.at(s, c);
        parts.emplace_back(
            format("%.4f · V[%s]", a.weights.at(q, s), labels[std::size_t(s)].c_str()),
            terms.row(s));
    }
    write_sum(w, "mix", format("mix_%td  ", f.place.head) + shape_text({a.V.columns}), parts,
              format("mix_%td", f.place.head), a.mix.row(q));
}

void write_output(SheetWriter& w, const WorkedForward& f) {
    const Index H = f.config.heads, D = f.config.head_size(), T = Index(f.ids.size());
    const Index C = f.config.channels;
    w.section("concatenation", "Concatenation of the heads", "拼接各头");
    w.formula(shape_text({1, H, T, D}) + " → " + shape_text({1, T, H, D}) + " → " +
              shape_text({1, T, C}));
    Labels heads;
    for (Index h = 0; h < H; ++h) heads.push_back(format("mix_%td", h));
    w.matrix("concatenation",
             w.in("side by side in one row of ", "并排成一行，长 ") + format("%td", C), heads,
             Grid(H, D, f.concatenation));

    w.section("output", "Output: · W_O", "输出：· W_O");
    w.text(
        "The row times W_O is the sum of what each head adds by itself: mix_h times its own rows "
        "of W_O.",
        "整行乘 W_O，等于各头各自贡献之和：mix_h 乘 W_O 里归它的那几行。");
    std::vector<std::pair<std::string, std::span<const double>>> parts;
    Sheet::Table lengths{"head_lengths",
                         "",
                         {w.in("length", "长度"), w.in("share along the sum", "沿总和方向")},
                         {},
                         false};
    for (Index h = 0; h < H; ++h) {
        parts.emplace_back(format("mix_%td · W_O[%td]", h, h), f.head_parts.row(h));
        const double along = dot(f.head_parts.row(h), f.attention_output);
        lengths.rows.push_back(
            {format("mix_%td · W_O[%td]", h, h),
             {length(f.head_parts.row(h)),
              along / std::max(dot(f.attention_output, f.attention_output), 1e-30)}});
    }
    parts.emplace_back("b_O", f.b_O);
    write_sum(w, "output", "", parts, w.in("output", "输出"), f.attention_output);
    w.table(std::move(lengths));
}

}  // namespace

void write_head(SheetWriter& w, const WorkedForward& f) {
    const Labels labels = place_labels(f.tokens);
    write_projections(w, f, labels);
    write_similarity(w, f, labels);
    write_scores(w, f, labels);
    write_softmax(w, f, labels);
    write_mix(w, f, labels);
    write_output(w, f);
}

}  // namespace zhuyi
