#include "explain/worked_example.h"

#include <cmath>

#include "base/check.h"
#include "base/format.h"
#include "ops/linear.h"

namespace zhuyi {
namespace {

constexpr Index kT = 3, kC = 4, kD = 2;

const Numbers kX = {0.8, 0.2, 0.4, 0.1, 0.1, 0.9, 0.3, 0.7, 0.3, 0.1, 0.9, 0.2};
// (4, 2) each. Head 0 is the course's own; head 1 and W_O are this project's, chosen so that the
// two heads differ and the arithmetic stays short.
const Grid kW_Q[2] = {{kC, kD, {0.5, 0.2, 0.1, 0.3, 0.4, 0.6, 0.2, 0.1}},
                      {kC, kD, {0.3, 0.1, 0.6, 0.2, 0.1, 0.5, 0.4, 0.3}}};
const Grid kW_K[2] = {{kC, kD, {0.1, 0.5, 0.3, 0.2, 0.6, 0.4, 0.2, 0.3}},
                      {kC, kD, {0.4, 0.2, 0.1, 0.6, 0.2, 0.1, 0.5, 0.3}}};
const Grid kW_V[2] = {{kC, kD, {0.2, 0.4, 0.5, 0.1, 0.3, 0.6, 0.1, 0.2}},
                      {kC, kD, {0.6, 0.1, 0.2, 0.3, 0.1, 0.5, 0.4, 0.2}}};
const Grid kW_O = {
    kC, kC, {0.4, 0.1, 0.2, 0.3, 0.2, 0.5, 0.1, 0.2, 0.1, 0.3, 0.4, 0.2, 0.3, 0.2, 0.1, 0.5}};

Grid side_by_side(const Grid* parts, Index count) {
    Grid whole(parts[0].rows, parts[0].columns * count);
    for (Index h = 0; h < count; ++h)
        for (Index r = 0; r < whole.rows; ++r)
            for (Index c = 0; c < parts[h].columns; ++c)
                whole.at(r, h * parts[h].columns + c) = parts[h].at(r, c);
    return whole;
}

struct WeightsWatcher : Watcher {
    void value(std::string_view, const Tensor& weights) override { seen = Grid(weights); }
    Grid seen;  // (H T, T): head 0's rows first
};

Tensor product(Tape& tape, const Tensor& x, const Grid& W) {
    return linear(x, Affine{constant(tape, {W.rows, W.columns}, W.values), {}});
}

}  // namespace

WorkedExample worked_example(Index heads, Mask mask) {
    if (heads != 1 && heads != 2)
        fail_usage_english(
            format("--heads=%td: the example has weights for 1 head and for 2", heads));
    WorkedExample e{
        {"猫", "吃", "鱼"}, heads, mask, {kT, kC, kX}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {},
        Grid(kT, kT)};
    e.W_Q = side_by_side(kW_Q, heads);
    e.W_K = side_by_side(kW_K, heads);
    e.W_V = side_by_side(kW_V, heads);

    Tape tape(false);
    WeightsWatcher watcher;
    tape.watch(&watcher);
    const Tensor X = constant(tape, {1, kT, kC}, kX);
    const Tensor Q = product(tape, X, e.W_Q), K = product(tape, X, e.W_K);
    const Tensor V = product(tape, X, e.W_V);
    const Tensor mix = attention(Q, K, V, heads, mask);
    tape.watch(nullptr);

    e.Q = Grid(Q), e.K = Grid(K), e.V = Grid(V), e.mix = e.output = Grid(mix);
    if (heads > 1) {
        e.W_O = kW_O;
        e.output = Grid(product(tape, mix, e.W_O));
    }
    for (Index h = 0; h < heads; ++h) {
        const auto part = [&](const Grid& x) { return columns_of(x, h * kD, kD); };
        e.each_head.push_back(worked_head(tape, part(e.Q), part(e.K), part(e.V),
                                          rows_of(watcher.seen, h * kT, kT), part(e.mix), mask,
                                          false));
        for (std::size_t i = 0; i < e.mean_weights.values.size(); ++i)
            e.mean_weights.values[i] += e.each_head.back().weights.values[i] / double(heads);
    }
    return e;
}

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

WorkedQuery worked_query() {
    WorkedQuery w{{0.1, 0.2, 0.3, 0.4},
                  {4, 3, {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.2, 0.3, 0.4}},
                  {}};
    Tape tape(false);
    w.q = Grid(product(tape, constant(tape, {1, 4}, w.x), w.W)).values;
    return w;
}

// Softmax alone is attention with one query [1] and d_k = 1: the scores are the keys themselves.
WorkedSoftmax worked_softmax() {
    WorkedSoftmax w{{3.5, -2.1, 8.7, 0.3}, {}};
    const Index S = Index(w.scores.size());
    for (const Index d_k : {1, 512, 128}) {
        WorkedSoftmax::Row row{d_k, w.scores, {}, 0, 0, 0, 0};
        for (double& x : row.scaled) x /= std::sqrt(double(d_k));
        Tape tape(false);
        WeightsWatcher watcher;
        tape.watch(&watcher);
        const Tensor keys = constant(tape, {1, S, 1}, row.scaled);
        const double one = 1;
        attention(constant(tape, {1, 1, 1}, {&one, 1}), keys, keys, 1, Mask::none);
        row.weights = watcher.seen.values;
        row.largest = row.weights[std::size_t(largest(row.weights))];
        row.entropy = entropy(row.weights);
        double squares = 0;
        for (std::size_t i = 0; i < row.weights.size(); ++i)
            for (std::size_t j = 0; j < row.weights.size(); ++j) {
                const double p = row.weights[i];
                const double slope = (i == j ? p : 0) - p * row.weights[j];
                squares += slope * slope;
            }
        row.gradient = std::sqrt(squares);
        row.gradient_to_scores = row.gradient / std::sqrt(double(d_k));
        w.rows.push_back(row);
    }
    return w;
}

}  // namespace zhuyi
