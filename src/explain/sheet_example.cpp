#include "explain/sheet_example.h"

#include <cmath>

#include "base/format.h"

namespace zhuyi {
namespace {

using Labels = std::vector<std::string>;

// A (T, T) matrix with the places behind the mask marked as such.
Sheet::Table square(const char* key, const std::string& caption, const WorkedHead& head,
                    const Grid& numbers, const Labels& tokens, bool masked) {
    Sheet::Table table{key, caption, tokens, {}};
    for (Index t = 0; t < numbers.rows; ++t) {
        Sheet::Row row{tokens[std::size_t(t)], {}};
        for (Index s = 0; s < numbers.columns; ++s)
            row.cells.push_back(masked && !head.sees(t, s) ? Sheet::Cell::masked()
                                                           : Sheet::Cell(numbers.at(t, s)));
        table.rows.push_back(std::move(row));
    }
    return table;
}

void write_input(SheetWriter& w, const WorkedExample& e) {
    w.section("input", "Input X", "输入 X");
    w.text("One row a character: its embedding, d_in = 4.",
           "每个字一行，就是它的词向量，d_in = 4。");
    w.matrix("X", "X  " + shape_text({e.X.rows, e.X.columns}), e.tokens, e.X);
}

void write_projections(SheetWriter& w, const WorkedExample& e) {
    w.section("weights_in", "The weights W_Q, W_K, W_V", "权重 W_Q、W_K、W_V");
    if (e.heads == 1)
        w.text("Stored [in, out], so that Q = X · W_Q. No bias here.",
               "按 [输入, 输出] 存放，所以 Q = X · W_Q。这里没有偏置。");
    else
        w.text(
            "Stored [in, out]; columns 0–1 belong to head 0 (the course's own weights), columns "
            "2–3 to head 1 (chosen for this sheet). No bias here.",
            "按 [输入, 输出] 存放；第 0–1 列归头 0（课程里的权重），第 2–3 列归头 1（为这张"
            "演算表选定）。这里没有偏置。");
    const std::pair<const char*, const Grid*> weights[] = {
        {"W_Q", &e.W_Q}, {"W_K", &e.W_K}, {"W_V", &e.W_V}};
    for (const auto& [name, W] : weights)
        w.matrix(name, name + ("  " + shape_text({W->rows, W->columns})), {}, *W);

    w.section("projections", "Queries, keys and values", "查询 Q、键 K、值 V");
    w.text("What each character asks, what it offers to be found by, and what it hands over.",
           "Q：这个字在找什么；K：它凭什么被找到；V：被找到后它交出什么。");
    const auto product = [&](const char* name, const Grid& W, const Grid& y) {
        const Numbers first = columns_of(W, 0, 1).values;
        w.product(format("%s[%s][0]", name, e.tokens[0].c_str()), e.X.row(0), first, y.at(0, 0));
    };
    product("Q", e.W_Q, e.Q), product("K", e.W_K, e.K), product("V", e.W_V, e.V);
    const std::pair<const char*, const Grid*> results[] = {{"Q", &e.Q}, {"K", &e.K}, {"V", &e.V}};
    for (const auto& [name, y] : results)
        w.matrix(name, format("%s = X · W_%s  ", name, name) + shape_text({y->rows, y->columns}),
                 e.tokens, *y);
}

void write_split(SheetWriter& w, const WorkedExample& e) {
    const Index T = Index(e.tokens.size());
    w.section("split", "Two heads", "拆成两个头");
    w.text(
        "d = 4 is cut into 2 heads of d_k = 2. Nothing is computed: columns are handed out, and "
        "from here on each head works on its own.",
        "d = 4 切成 2 个头，每头 d_k = 2。这一步不做计算，只是分列；之后两个头各算各的。");
    w.formula("Q, K, V:  " + shape_text({1, T, 4}) + " → " + shape_text({1, T, 2, 2}) + " → " +
              shape_text({1, 2, T, 2}) +
              w.in("   [batch, heads, seq, d_head]", "   [批, 头, 序列, 每头维度]"));
}

void write_scores(SheetWriter& w, const WorkedHead& head, const Labels& tokens,
                  const std::string& of) {
    const Index T = head.Q.rows;
    w.section("scores", "Scores: Q · Kᵀ" + of, "打分：Q · Kᵀ" + of);
    w.text("Each query against each key: the dot product says how well they fit.",
           "每个查询与每个键做点积：越大，越合得来。");
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < T; ++s)
            w.product(format("Q[%s]·K[%s]", tokens[std::size_t(t)].c_str(),
                             tokens[std::size_t(s)].c_str()),
                      head.Q.row(t), head.K.row(s), head.products.at(t, s));
    w.table(
        square("products", "Q · Kᵀ  " + shape_text({T, T}), head, head.products, tokens, false));

    w.section("scaled", "Scaling: ÷ √d_k" + of, "缩放：÷ √d_k" + of);
    w.text(format("√%td = %.4f. Dot products of longer vectors are larger; without this, softmax "
                  "would give nearly everything to one character.",
                  head.K.columns, std::sqrt(double(head.K.columns))),
           format("√%td = %.4f。向量越长点积越大；不缩放，softmax 会几乎全给一个字。",
                  head.K.columns, std::sqrt(double(head.K.columns))));
    w.table(
        square("scaled", "Q · Kᵀ / √d_k  " + shape_text({T, T}), head, head.scaled, tokens, false));
}

void write_softmax(SheetWriter& w, const WorkedHead& head, const Labels& tokens,
                   const std::string& of) {
    const Index T = head.Q.rows;
    if (head.mask == Mask::causal) {
        w.section("mask", "Causal mask" + of, "因果掩码" + of);
        w.text(
            "A character sees itself and what stands before it; what comes later (·) counts as "
            "-∞, and e^-∞ = 0.",
            "每个字只看得到自己和前面的字；后面的位置（·）当作 -∞，而 e^-∞ = 0。");
        w.table(square("masked", "Q · Kᵀ / √d_k  " + shape_text({T, T}), head, head.scaled, tokens,
                       true));
    }
    w.section("softmax", "Softmax" + of, "softmax" + of);
    w.text(
        "e to each score, divided by the sum of the row: the weights of a row add up to 1. (The "
        "program takes the row's maximum off first, so that no exponential overflows: the same "
        "weights.)",
        "对每个分数取 e 的幂，再除以这一行的和：每行权重加起来是 1。（程序里先减去每行的最大值，"
        "以免溢出，得到的权重相同。）");
    Sheet::Table exponentials =
        square("exponentials", "exp  " + shape_text({T, T}), head, head.exponentials, tokens, true);
    exponentials.columns.push_back(w.in("sum", "和"));
    for (Index t = 0; t < T; ++t)
        exponentials.rows[std::size_t(t)].cells.push_back(head.sums[std::size_t(t)]);
    w.table(std::move(exponentials));
    Sheet::Table weights = square(
        "weights", w.in("weights = exp / sum  ", "注意力权重 = exp / 和  ") + shape_text({T, T}),
        head, head.weights, tokens, true);
    weights.show_largest = true;
    w.table(std::move(weights));
}

// A weighted sum of rows, term by term.
void write_mix(SheetWriter& w, const WorkedHead& head, const Labels& tokens,
               const std::string& of) {
    w.section("mix", "Mix of the values" + of, "对 V 加权求和" + of);
    w.text("Each character takes from all it sees, in proportion to the weights.",
           "每个字按权重从它看得到的字那里各取一份 V。");
    for (Index t = 0; t < head.Q.rows; ++t) {
        Sheet::Table table{"mix_terms", "", {}, {}};
        for (Index s = 0; s < head.V.rows; ++s) {
            if (!head.sees(t, s)) continue;
            Numbers term = head.V.row_copy(s);
            for (double& x : term) x *= head.weights.at(t, s);
            table.rows.push_back(
                {format("%.4f", head.weights.at(t, s)) + " · V[" + tokens[std::size_t(s)] + "]",
                 cells(term)});
        }
        table.rows.push_back({w.in("output[", "输出[") + tokens[std::size_t(t)] + "]",
                              cells(head.mix.row(t)), true});
        w.table(std::move(table));
    }
    w.matrix("mix",
             w.in("output = weights · V  ", "输出 = 权重 · V  ") +
                 shape_text({head.mix.rows, head.mix.columns}),
             tokens, head.mix);
}

void write_join(SheetWriter& w, const WorkedExample& e) {
    const Index T = Index(e.tokens.size());
    w.section("concatenation", "Concatenation of the heads", "拼接两个头");
    w.text("The heads' outputs side by side: columns 0–1 from head 0, columns 2–3 from head 1.",
           "两个头的输出并排放回：第 0–1 列来自头 0，第 2–3 列来自头 1。");
    w.formula(shape_text({1, 2, T, 2}) + " → " + shape_text({1, T, 2, 2}) + " → " +
              shape_text({1, T, 4}));
    w.matrix("concatenation", w.in("concatenation  ", "拼接  ") + shape_text({1, T, 4}), e.tokens,
             e.mix);

    w.section("output", "Output: · W_O", "输出：· W_O");
    w.text(
        "W_O lets the heads speak to each other: every output is a sum over all of them. (Chosen "
        "for this sheet.)",
        "W_O 让各头互通：输出的每个数都是所有头的加权和。（为这张演算表选定。）");
    w.matrix("W_O", "W_O  " + shape_text({4, 4}), {}, e.W_O);
    w.product(w.in("output[", "输出[") + e.tokens[0] + "][0]", e.mix.row(0),
              columns_of(e.W_O, 0, 1).values, e.output.at(0, 0));
    w.matrix("output",
             w.in("output = concatenation · W_O  ", "输出 = 拼接 · W_O  ") + shape_text({1, T, 4}),
             e.tokens, e.output);

    w.section("mean", "Mean over the heads", "各头权重的平均");
    w.text("Only for looking at: no step of the model uses it.",
           "只用来看，模型的计算里没有这一步。");
    w.formula(shape_text({1, 2, T, T}) + " → " + shape_text({1, T, T}));
    Sheet::Table table =
        square("mean_weights", w.in("mean weights  ", "平均权重  ") + shape_text({1, T, T}),
               e.each_head[0], e.mean_weights, e.tokens, true);
    table.show_largest = true;
    w.table(std::move(table));
}

}  // namespace

Sheet example_sheet(const WorkedExample& e, Language language) {
    std::string sentence;
    for (const std::string& token : e.tokens) sentence += (sentence.empty() ? "" : " ") + token;
    SheetWriter w(language, "Attention by hand: " + sentence, "手算注意力：" + sentence);
    write_input(w, e);
    write_projections(w, e);
    if (e.heads > 1) write_split(w, e);
    for (std::size_t h = 0; h < e.each_head.size(); ++h) {
        const std::string of =
            e.heads == 1 ? "" : w.in(format(" (head %zu)", h), format("（头 %zu）", h));
        write_scores(w, e.each_head[h], e.tokens, of);
        write_softmax(w, e.each_head[h], e.tokens, of);
        write_mix(w, e.each_head[h], e.tokens, of);
    }
    if (e.heads > 1) write_join(w, e);
    return w.finish();
}

}  // namespace zhuyi
