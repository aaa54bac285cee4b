// The course's examples that fit a few lines, as sheets.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "autograd/tape.h"
#include "base/check.h"
#include "base/format.h"
#include "base/math.h"
#include "base/random.h"
#include "explain/examples.h"
#include "explain/pass.h"
#include "ops/linear.h"
#include "system/printable.h"

namespace zhuyi {

Sheet dot_sheet() {
    const std::string query = "邀请";
    const Numbers q = {0.8, 0.2, 0.7};
    const std::pair<std::string, Numbers> others[] = {
        {"小", {0.2, 0.8, 0.3}}, {"沈", {0.3, 0.7, 0.4}}, {"阳", {0.1, 0.9, 0.2}}};
    Tape tape(false);
    const auto score = [&](const Numbers& x) {
        return double(unembedding(constant(tape, {1, 3}, q), constant(tape, {1, 3}, x)).value[0]);
    };
    Sheet sheet{say({"The dot product: how alike is %s to …", "点积：“%s”和谁更像"}, query)};
    sheet.section("vectors", {"The vectors", "向量"});
    Sheet::Table& vectors = sheet.matrix("vectors");
    vectors.add(query, q);
    for (const auto& [token, x] : others) vectors.add(token, x);

    sheet.section("products", {"Multiply place by place, add up", "对应位置相乘，再相加"});
    for (const auto& [token, x] : others) sheet.product(query + " · " + token, q, x, score(x));

    sheet.section("cosine", {"The same without the lengths", "去掉范数的影响：余弦相似度"});
    sheet.formula(
        {"cos = a · b / (‖a‖ ‖b‖),   ‖a‖ = √(a · a)", "cos = a · b / (‖a‖ ‖b‖)，  ‖a‖ = √(a · a)"});
    Sheet::Table& table = sheet.list(
        "pairs", {{"a · b", "点积"}, "‖" + query + "‖", {"‖b‖", "‖对方‖"}, {"cosine", "余弦"}});
    for (const auto& [token, x] : others)
        table.add(token, {score(x), length(q), length(x), cosine(q, x)});
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

Sheet query_sheet() {
    const Numbers x = {0.1, 0.2, 0.3, 0.4};
    const Grid W(4, 3, {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.2, 0.3, 0.4});
    Tape tape(false);
    const Numbers q =
        Grid(linear(constant(tape, {1, 4}, x), Affine{constant(tape, W.shape(), W.values), {}}))
            .values;
    Sheet sheet{{"A query: one row times W_Q", "查询向量：一行乘以 W_Q"}};
    sheet.section("input", {"The embedding and the weights", "词向量与权重"});
    sheet.matrix("x", with_shape("x", {1, W.rows})).add("x", x);
    sheet.matrix("W_Q", with_shape("W_Q", W.shape()), {}, W);
    sheet.section("product", {"Row times column", "行乘列"});
    for (Index c = 0; c < W.columns; ++c)
        sheet.product(format("q[%td]", c), x, columns_of(W, c, 1).values, q[c]);
    sheet.matrix("q", with_shape("q = x · W_Q", {1, W.columns})).add("q", q);
    return sheet;
}

// ---- softmax, and random queries and keys: what softmax makes of their scores

constexpr Index kDraws = 1000, kKeys = 4;

// Returns q · k of one random query with each of the keys.
static Numbers draw_scores(Index d_k, Index draw) {
    const Random random(1, Stream::sampling, std::uint64_t(d_k), std::uint64_t(draw));
    Numbers q, scores(kKeys, 0);
    for (Index i = 0; i < d_k; ++i) q.push_back(random.normal(i));
    for (Index k = 0; k < kKeys; ++k)
        for (Index i = 0; i < d_k; ++i) scores[k] += q[i] * random.normal((k + 1) * d_k + i);
    return scores;
}

// Returns the Frobenius norm of diag(p) - p pᵀ, the derivative of softmax.
static double slope(std::span<const double> p) {
    double squares = 0;
    for (std::size_t i = 0; i < p.size(); ++i)
        for (std::size_t j = 0; j < p.size(); ++j) {
            const double s = (i == j ? p[i] : 0) - p[i] * p[j];
            squares += s * s;
        }
    return std::sqrt(squares);
}

// Returns, over all draws, the mean of the largest of the four weights, the mean of their entropy,
// and the median of ‖∂weights/∂(q·k)‖.
static std::tuple<double, double, double> weights_of(const List<Numbers>& draws, double divisor) {
    double most = 0, spread = 0;
    Numbers gradients;
    for (Numbers scores : draws) {
        for (double& x : scores) x /= divisor;
        const Numbers p = softmax(scores);
        most += p[largest(p)] / double(draws.size());
        spread += entropy(p) / double(draws.size());
        gradients.push_back(slope(p) / divisor);
    }
    std::ranges::sort(gradients);
    return {most, spread, gradients[gradients.size() / 2]};
}

// Draws a query and four keys 1,000 times for each d_k; all entries are standard normal.
static void write_scaling(Sheet& sheet) {
    sheet.section("scaling", {"Why scores are divided by √d_k", "为什么要除以 √d_k"});
    sheet.text(
        {"q and k are drawn at random: d_k entries of variance 1. Their dot product adds up d_k "
         "products, each of variance 1, so its standard deviation is √d_k. One query, four keys, "
         "%td draws:",
         "随机取 q 和 k：各 d_k 个数，方差都是 1。点积是 d_k 个乘积之和，每个乘积的方差是 1，所以点"
         "积的标准差是 √d_k。一个查询、四个键，取 %td 次："},
        kDraws);
    Sheet::Table& table = sheet.list("scaling", {"√d_k",
                                                 {"deviation of q·k", "q·k 的标准差"},
                                                 {"largest", "最大权重"},
                                                 {"scaled", "缩放后"},
                                                 {"entropy", "熵（奈特）"},
                                                 {"scaled", "缩放后"}});
    Sheet::Table gradients{"gradients", {}, {{"unscaled", "不缩放"}, {"scaled", "缩放后"}}, false};
    for (const Index d_k : {4, 32, 128, 512}) {
        const std::string label = "d_k = " + std::to_string(d_k);
        const double root = std::sqrt(double(d_k));
        List<Numbers> draws;
        double squares = 0;
        for (Index draw = 0; draw < kDraws; ++draw) {
            draws.push_back(draw_scores(d_k, draw));
            squares += dot(draws.back(), draws.back());
        }
        const auto [plain, plain_entropy, plain_gradient] = weights_of(draws, 1);
        const auto [divided, divided_entropy, divided_gradient] = weights_of(draws, root);
        table.add(label, {root, std::sqrt(squares / double(kDraws * kKeys)), plain, divided,
                          plain_entropy, divided_entropy});
        gradients.add(label, {format("%.1e", plain_gradient), format("%.1e", divided_gradient)});
    }
    sheet.text(
        {"largest, entropy: the means of the largest of the four weights and of their "
         "entropy (at most ln 4 = %.4f). Unscaled, softmax gives nearly all to one key as "
         "d_k grows; divided by √d_k it does nearly the same for every d_k.",
         "最大权重、熵：四个权重中最大的一个，以及它们的熵（最多 ln 4 = %.4f），都是平均值。"
         "不缩放时，d_k 越大，softmax 越是几乎只选一个键；除以 √d_k 以后，结果几乎与 d_k 无关。"},
        math::log(4.0));
    sheet.text(
        {"And then nothing can be learnt: where one weight is nearly 1, the derivative of "
         "softmax is nearly 0, and W_Q and W_K get no gradient. The median of ‖∂p/∂(q·k)‖:",
         "这时就学不动了：一个权重接近 1，softmax 的导数就接近 0，W_Q、W_K 得不到梯度。"
         "‖∂p/∂(q·k)‖ 的中位数："});
    sheet.sections.back().items.push_back(std::move(gradients));
    sheet.text(
        {"In half of all draws the derivative is smaller than that. (diag(p) - p pᵀ, measured "
         "by its Frobenius norm; scaled, it is divided by √d_k once more on the way to q·k.) "
         "In GPT-2 d_k is 64, in the course's model 128: √128 = 11.3. Its 512 is d_model, not "
         "the length of a head's query.",
         "有一半的情形，导数比它还小。（这里是 diag(p) - p pᵀ 的 Frobenius 范数；缩放时，传回 "
         "q·k 还要再除一次 √d_k。）GPT-2 的 d_k 是 64，课程里的模型是 128：√128 = 11.3；512 是 "
         "d_model，不是一个头的查询的维数。"});
}

// Softmax alone is attention with one query [1] and d_k = 1: the scores are the keys themselves.
Sheet softmax_sheet() {
    const Numbers scores = {3.5, -2.1, 8.7, 0.3};
    Tape tape(false);
    WorkedPass pass;
    const Watching watching(tape, pass);
    const Tensor keys = constant(tape, {1, scores.count(), 1}, scores);
    const double one = 1;
    attention(constant(tape, {1, 1, 1}, {&one, 1}), keys, keys, 1, Mask::none);
    const Numbers weights = pass.values("weights").values;
    Sheet sheet{{"Softmax, and why scores are divided by √d_k", "softmax，以及为什么要除以 √d_k"}};
    sheet.section("softmax", {"From scores to weights", "从分数到注意力权重"});
    sheet.formula("p_i = e^(x_i - max) / Σ_j e^(x_j - max)");
    const double top = scores[largest(scores)];
    double sum = 0;
    Sheet::Table& table = sheet.list("softmax", {"x", "x - max", "exp", "p"});
    for (Index i = 0; i < scores.count(); ++i) {
        const double x = scores[i], e = math::exp(x - top);
        sum += e;
        table.add(std::to_string(i), {x, x - top, e, weights[i]});
    }
    table.total({"sum", "和"}, {Cell(), Cell(), sum, 1.0});
    sheet.text({"Only differences count: two weights stand in the ratio e^(difference of their "
                "scores). Entropy %.4f nats (at most ln %zu = %.4f).",
                "起作用的只有分数之差：两个权重之比等于 e^(分数之差)。熵 %.4f 奈特（最多 ln %zu = "
                "%.4f）。"},
               entropy(weights), weights.size(), math::log(double(weights.size())));
    write_scaling(sheet);
    return sheet;
}

Sheet example_named(const std::string& name, Index heads, Mask mask) {
    if (name == "attention") return example_sheet(heads, mask);
    if (name == "dot") return dot_sheet();
    if (name == "query") return query_sheet();
    if (name == "softmax") return softmax_sheet();
    fail_usage({"there is no example %s; there are attention, dot, query and softmax",
                "没有名为 %s 的例子；有 attention、dot、query 和 softmax"},
               in_quotes(name));
}

}  // namespace zhuyi
