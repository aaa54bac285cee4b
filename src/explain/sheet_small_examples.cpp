// The course's examples that fit a few lines.
#include <algorithm>

#include "base/format.h"
#include "base/math.h"
#include "explain/sheet_example.h"

namespace zhuyi {

Sheet dot_sheet(const WorkedDot& d, Language language) {
    SheetWriter w(language, "The dot product: how alike is " + d.query + " to …",
                  "点积：“" + d.query + "”和谁更像");
    w.section("vectors", "The vectors", "向量");
    Sheet::Table vectors{"vectors", "", {}, {{d.query, cells(d.query_vector)}}};
    for (const WorkedDot::Pair& pair : d.pairs)
        vectors.rows.push_back({pair.token, cells(pair.vector)});
    w.table(std::move(vectors));

    w.section("products", "Multiply place by place, add up", "对应位置相乘，再相加");
    for (const WorkedDot::Pair& pair : d.pairs)
        w.product(d.query + " · " + pair.token, d.query_vector, pair.vector, pair.dot);

    w.section("cosine", "The same without the lengths", "去掉长度的影响：余弦");
    w.formula(w.in("cos = a · b / (‖a‖ ‖b‖),   ‖a‖ = √(a · a)",
                   "cos = a · b / (‖a‖ ‖b‖)，  ‖a‖ = √(a · a)"));
    Sheet::Table table{
        "pairs",
        "",
        {w.in("a · b", "点积"), "‖" + d.query + "‖", w.in("‖b‖", "‖对方‖"), w.in("cosine", "余弦")},
        {},
        false};
    for (const WorkedDot::Pair& pair : d.pairs)
        table.rows.push_back({pair.token, {pair.dot, d.query_length, pair.length, pair.cosine}});
    w.table(std::move(table));
    w.text(
        "The sign: positive, the two point the same way (angle below 90°); zero, at right angles, "
        "nothing to do with each other; negative, opposite ways. The dot product grows with the "
        "lengths, the cosine does not: attention uses the dot product, so a long key is heard "
        "louder.",
        "符号的含义：为正，两个向量方向相近（夹角小于 "
        "90°）；为零，互相垂直，互不相干；为负，方向相反。"
        "点积随长度变大，余弦不会；注意力用的是点积，所以长的键“嗓门”更大。");
    return w.finish();
}

Sheet query_sheet(const WorkedQuery& q, Language language) {
    SheetWriter w(language, "A query: one row times W_Q", "查询向量：一行乘以 W_Q");
    w.section("input", "The embedding and the weights", "词向量与权重");
    w.vector("x", "x  " + shape_text({1, q.W.rows}), "x", q.x);
    w.matrix("W_Q", "W_Q  " + shape_text({q.W.rows, q.W.columns}), {}, q.W);
    w.section("product", "Row times column", "行乘列");
    for (Index c = 0; c < q.W.columns; ++c)
        w.product(format("q[%td]", c), q.x, columns_of(q.W, c, 1).values, q.q[std::size_t(c)]);
    w.vector("q", "q = x · W_Q  " + shape_text({1, q.W.columns}), "q", q.q);
    return w.finish();
}

Sheet softmax_sheet(const WorkedSoftmax& s, Language language) {
    SheetWriter w(language, "Softmax, and why scores are divided by √d_k",
                  "softmax，以及为什么要除以 √d_k");
    w.section("softmax", "From scores to weights", "从分数到权重");
    w.formula("p_i = e^(x_i - max) / Σ_j e^(x_j - max)");
    const WorkedSoftmax::Row& plain = s.rows[0];
    double top = s.scores[0], sum = 0;
    for (double x : s.scores) top = std::max(top, x);
    Sheet::Table table{"softmax", "", {"x", "x - max", "exp", "p"}, {}, false};
    for (double x : s.scores) sum += math::exp(x - top);
    for (std::size_t i = 0; i < s.scores.size(); ++i)
        table.rows.push_back(
            {format("%zu", i),
             {s.scores[i], s.scores[i] - top, math::exp(s.scores[i] - top), plain.weights[i]}});
    table.rows.push_back({w.in("sum", "和"), {Sheet::Cell(), Sheet::Cell(), sum, 1.0}, true});
    w.table(std::move(table));

    w.section("scaling", "The same row divided by √d_k", "同一行分数除以 √d_k 之后");
    w.text(
        "The dot product of two vectors of d_k entries of variance 1 has standard deviation √d_k: "
        "√512 = 22.6 for the course's d_model = 512, √128 = 11.3 for one of its 4 heads. "
        "Undivided, "
        "softmax picks one winner, and at a winner its slope is nearly 0: no gradient gets through "
        "and W_Q and W_K stop learning.",
        "两个 d_k 维、各分量方差为 1 的向量，点积的标准差是 √d_k：课程里 d_model = 512 时 √512 = "
        "22.6，分成 4 个头后 √128 = 11.3。不除，softmax 几乎只选一个；而选定之后斜率接近 "
        "0，梯度传不"
        "回去，W_Q、W_K 就学不动了。");
    Sheet::Table weights{"weights", w.in("weights", "权重"), {}, {}};
    Sheet::Table facts{
        "facts",
        "",
        {w.in("largest", "最大"), w.in("entropy (nats)", "熵（奈特）"),
         w.in("gradient ‖∂p/∂x‖", "梯度 ‖∂p/∂x‖"), w.in("to undivided scores", "传到除之前")},
        {},
        false};
    for (const WorkedSoftmax::Row& row : s.rows) {
        const std::string label =
            row.d_k == 1 ? w.in("as it is", "不除") : format("÷ √%td", row.d_k);
        weights.rows.push_back({label, cells(row.weights)});
        facts.rows.push_back(
            {label, {row.largest, row.entropy, row.gradient, row.gradient_to_scores}});
    }
    w.table(std::move(weights));
    w.table(std::move(facts));
    w.text(
        format("Largest possible entropy of %zu weights: ln %zu = %.4f. ‖∂p/∂x‖ is the size "
               "(Frobenius) of diag(p) - p pᵀ, through which every gradient must pass; on the way "
               "to the undivided scores it is divided by √d_k once more.",
               s.scores.size(), s.scores.size(), math::log(double(s.scores.size()))),
        format("%zu 个权重的熵最大是 ln %zu = %.4f。‖∂p/∂x‖ 是 diag(p) - p pᵀ 的大小（Frobenius "
               "范数），梯度都要从它经过；传回除之前的分数还要再除一次 √d_k。",
               s.scores.size(), s.scores.size(), math::log(double(s.scores.size()))));
    return w.finish();
}

}  // namespace zhuyi
