#include "explain/small_examples.h"

#include <algorithm>
#include <cmath>

#include "autograd/tape.h"
#include "base/check.h"
#include "base/format.h"
#include "base/math.h"
#include "explain/example.h"
#include "explain/pass.h"
#include "explain/worked_pass.h"
#include "ops/attention.h"
#include "ops/linear.h"
#include "system/printable.h"

namespace zhuyi {

// ---- dot

WorkedDot worked_dot() {
    WorkedDot d{"邀请", {0.8, 0.2, 0.7}, 0, {}};
    d.query_length = length(d.query_vector);
    Tape tape(false);
    const Tensor query = constant(tape, {1, 3}, d.query_vector);
    const std::pair<const char*, Numbers> others[] = {
        {"小", {0.2, 0.8, 0.3}}, {"沈", {0.3, 0.7, 0.4}}, {"阳", {0.1, 0.9, 0.2}}};
    for (const auto& [token, vector] : others) {
        const Tensor score = unembedding(query, constant(tape, {1, 3}, vector));
        d.pairs.push_back({token, vector, double(score.value[0]), cosine(d.query_vector, vector),
                           length(vector)});
    }
    return d;
}

Sheet dot_sheet(const WorkedDot& d) {
    Sheet sheet{say({"The dot product: how alike is %s to …", "点积：“%s”和谁更像"}, d.query)};
    sheet.section("vectors", {"The vectors", "向量"});
    Sheet::Table& vectors = sheet.matrix("vectors");
    vectors.add(d.query, d.query_vector);
    for (const WorkedDot::Pair& pair : d.pairs) vectors.add(pair.token, pair.vector);

    sheet.section("products", {"Multiply place by place, add up", "对应位置相乘，再相加"});
    for (const WorkedDot::Pair& pair : d.pairs)
        sheet.product(d.query + " · " + pair.token, d.query_vector, pair.vector, pair.dot);

    sheet.section("cosine", {"The same without the lengths", "去掉范数的影响：余弦相似度"});
    sheet.formula(
        {"cos = a · b / (‖a‖ ‖b‖),   ‖a‖ = √(a · a)", "cos = a · b / (‖a‖ ‖b‖)，  ‖a‖ = √(a · a)"});
    Sheet::Table& table = sheet.list(
        "pairs", {{"a · b", "点积"}, "‖" + d.query + "‖", {"‖b‖", "‖对方‖"}, {"cosine", "余弦"}});
    for (const WorkedDot::Pair& pair : d.pairs)
        table.add(pair.token, {pair.dot, d.query_length, pair.length, pair.cosine});
    sheet.text(
        {"The sign: positive, the two point the same way (angle below 90°); zero, at right "
         "angles, nothing to do with each other; negative, opposite ways. The dot product "
         "grows with the lengths, the cosine does not: attention uses the dot product, so a "
         "long key gets a larger score (a lower one, where the cosine is negative).",
         "符号的含义：为正，两个向量方向相近（夹角小于 90°）；为零，互相垂直，互不相干；为负，方"
         "向相反。点积随范数变大，余弦不会；注意力用的是点积，所以键越长，分数的绝对值越大（余弦"
         "为负时反而更低）。"});
    return sheet;
}

// ---- query

WorkedQuery worked_query() {
    WorkedQuery w{{0.1, 0.2, 0.3, 0.4},
                  {4, 3, {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.2, 0.3, 0.4}},
                  {}};
    Tape tape(false);
    const Tensor W = constant(tape, w.W.shape(), w.W.values);
    w.q = Grid(linear(constant(tape, {1, 4}, w.x), Affine{W, {}})).values;
    return w;
}

Sheet query_sheet(const WorkedQuery& q) {
    Sheet sheet{{"A query: one row times W_Q", "查询向量：一行乘以 W_Q"}};
    sheet.section("input", {"The embedding and the weights", "词向量与权重"});
    sheet.matrix("x", with_shape("x", {1, q.W.rows})).add("x", q.x);
    sheet.matrix("W_Q", with_shape("W_Q", q.W.shape()), {}, q.W);
    sheet.section("product", {"Row times column", "行乘列"});
    for (Index c = 0; c < q.W.columns; ++c)
        sheet.product(format("q[%td]", c), q.x, columns_of(q.W, c, 1).values, q.q[std::size_t(c)]);
    sheet.matrix("q", with_shape("q = x · W_Q", {1, q.W.columns})).add("q", q.q);
    return sheet;
}

// ---- softmax

// Softmax alone is attention with one query [1] and d_k = 1: the scores are the keys themselves.
WorkedSoftmax worked_softmax() {
    WorkedSoftmax w{{3.5, -2.1, 8.7, 0.3}, {}, worked_scaling()};
    Tape tape(false);
    WorkedPass pass;
    const Watching watching(tape, pass);
    const Tensor keys = constant(tape, {1, Index(w.scores.size()), 1}, w.scores);
    const double one = 1;
    attention(constant(tape, {1, 1, 1}, {&one, 1}), keys, keys, 1, Mask::none);
    w.weights = pass.values("weights").values;
    return w;
}

Sheet softmax_sheet(const WorkedSoftmax& s) {
    Sheet sheet{{"Softmax, and why scores are divided by √d_k", "softmax，以及为什么要除以 √d_k"}};
    sheet.section("softmax", {"From scores to weights", "从分数到注意力权重"});
    sheet.formula("p_i = e^(x_i - max) / Σ_j e^(x_j - max)");
    const double top = s.scores[std::size_t(largest(s.scores))];
    double sum = 0;
    Sheet::Table& table = sheet.list("softmax", {"x", "x - max", "exp", "p"});
    for (std::size_t i = 0; i < s.scores.size(); ++i) {
        const double x = s.scores[i], e = math::exp(x - top);
        sum += e;
        table.add(std::to_string(i), {x, x - top, e, s.weights[i]});
    }
    table.total({"sum", "和"}, {Sheet::Cell(), Sheet::Cell(), sum, 1.0});
    sheet.text({"Only differences count: two weights stand in the ratio e^(difference of their "
                "scores). Entropy %.4f nats (at most ln %zu = %.4f).",
                "起作用的只有分数之差：两个权重之比等于 e^(分数之差)。熵 %.4f 奈特（最多 ln %zu = "
                "%.4f）。"},
               entropy(s.weights), s.weights.size(), math::log(double(s.weights.size())));
    write_scaling(sheet, s.scaling);
    return sheet;
}

Sheet example_named(const std::string& name, Index heads, Mask mask) {
    if (name == "attention") return example_sheet(worked_example(heads, mask));
    if (name == "dot") return dot_sheet(worked_dot());
    if (name == "query") return query_sheet(worked_query());
    if (name == "softmax") return softmax_sheet(worked_softmax());
    fail_usage({"there is no example %s; there are attention, dot, query and softmax",
                "没有名为 %s 的例子；有 attention、dot、query 和 softmax"},
               in_quotes(name));
}

}  // namespace zhuyi
