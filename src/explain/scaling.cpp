#include "explain/scaling.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/math.h"
#include "base/random.h"

namespace zhuyi {
namespace {

constexpr Index kDraws = 1000, kKeys = 4;

// q · k of one query with each key.
Numbers draw_scores(Index d_k, Index draw) {
    const Random random(1, Stream::sampling, std::uint64_t(d_k), std::uint64_t(draw));
    Numbers q, scores(kKeys, 0);
    for (Index i = 0; i < d_k; ++i) q.push_back(random.normal(i));
    for (Index k = 0; k < kKeys; ++k)
        for (Index i = 0; i < d_k; ++i)
            scores[std::size_t(k)] += q[std::size_t(i)] * random.normal((k + 1) * d_k + i);
    return scores;
}

// Frobenius norm of diag(p) - p pᵀ.
double slope(std::span<const double> p) {
    double squares = 0;
    for (std::size_t i = 0; i < p.size(); ++i)
        for (std::size_t j = 0; j < p.size(); ++j) {
            const double s = (i == j ? p[i] : 0) - p[i] * p[j];
            squares += s * s;
        }
    return std::sqrt(squares);
}

WorkedScaling::Weights weights_of(const std::vector<Numbers>& draws, double divisor) {
    WorkedScaling::Weights w{0, 0, 0};
    Numbers gradients;
    for (Numbers scores : draws) {
        for (double& x : scores) x /= divisor;
        const Numbers p = softmax(scores);
        w.largest += p[std::size_t(largest(p))] / double(draws.size());
        w.entropy += entropy(p) / double(draws.size());
        gradients.push_back(slope(p) / divisor);
    }
    std::ranges::sort(gradients);
    w.gradient = gradients[gradients.size() / 2];
    return w;
}

}  // namespace

std::vector<WorkedScaling> worked_scaling() {
    std::vector<WorkedScaling> rows;
    for (const Index d_k : {4, 32, 128, 512}) {
        std::vector<Numbers> draws;
        double squares = 0;
        for (Index draw = 0; draw < kDraws; ++draw) {
            draws.push_back(draw_scores(d_k, draw));
            squares += dot(draws.back(), draws.back());
        }
        rows.push_back({d_k, std::sqrt(squares / double(kDraws * kKeys)), weights_of(draws, 1),
                        weights_of(draws, std::sqrt(double(d_k)))});
    }
    return rows;
}

void write_scaling(Sheet& sheet, const std::vector<WorkedScaling>& rows) {
    sheet.section("scaling", {"Why scores are divided by √d_k", "为什么要除以 √d_k"});
    sheet.text(
        {"q and k are drawn at random: d_k entries of variance 1. Their dot product adds up d_k "
         "products, each of variance 1, so its standard deviation is √d_k. One query, four keys, "
         "%td draws:",
         "随机取 q 和 k：各 d_k 个数，方差都是 1。点积是 d_k 个乘积之和，每个乘积的方差是 "
         "1，所以点积的"
         "标准差是 √d_k。一个查询、四个键，取 %td 次："},
        kDraws);
    Sheet::Table& table = sheet.list("scaling", {"√d_k",
                                                 {"deviation of q·k", "q·k 的标准差"},
                                                 {"largest", "最大权重"},
                                                 {"scaled", "缩放后"},
                                                 {"entropy", "熵（奈特）"},
                                                 {"scaled", "缩放后"}});
    for (const WorkedScaling& r : rows)
        table.add("d_k = " + std::to_string(r.d_k),
                  {std::sqrt(double(r.d_k)), r.deviation, r.plain.largest, r.divided.largest,
                   r.plain.entropy, r.divided.entropy});
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
    Sheet::Table& gradients =
        sheet.list("gradients", {{"unscaled", "不缩放"}, {"scaled", "缩放后"}});
    for (const WorkedScaling& r : rows)
        gradients.add("d_k = " + std::to_string(r.d_k),
                      {format("%.1e", r.plain.gradient), format("%.1e", r.divided.gradient)});
    sheet.text(
        {"In half of all draws the derivative is smaller than that. (diag(p) - p pᵀ, measured "
         "by its Frobenius norm; scaled, it is divided by √d_k once more on the way to q·k.) "
         "In GPT-2 d_k is 64, in the course's model 128: √128 = 11.3. Its 512 is d_model, not "
         "the length of a head's query.",
         "有一半的情形，导数比它还小。（这里是 diag(p) - p pᵀ 的 Frobenius 范数；缩放时，传回 "
         "q·k 还要再除一次 √d_k。）GPT-2 的 d_k 是 64，课程里的模型是 128：√128 = 11.3；512 是 "
         "d_model，不是一个头的查询的维数。"});
}

}  // namespace zhuyi
