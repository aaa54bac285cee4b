#include <algorithm>

#include "kernels/everywhere.h"

namespace zhuyi {
namespace {

// Queries, keys and values of a test, and room for everything an attention can leave behind.
struct Heads {
    Index B, H, T, S, d_k, d_v;
    bool causal;
    std::vector<Real> Q = random_numbers(B * T * H * d_k, 1);
    std::vector<Real> K = random_numbers(B * S * H * d_k, 2);
    std::vector<Real> V = random_numbers(B * S * H * d_v, 3);

    std::string text() const {
        std::string text = causal ? "causal" : "all";
        for (Index size : {B, H, T, S, d_k, d_v}) text += " " + std::to_string(size);
        return text;
    }
    Attention attention() const {
        return {.B = B,
                .H = H,
                .T = T,
                .S = S,
                .d_k = d_k,
                .d_v = d_v,
                .causal = causal,
                .Q = Q.data(),
                .K = K.data(),
                .V = V.data()};
    }
};

struct Forward {
    std::vector<Real> mix, weights, row_max, row_scale;
};

Forward forward(const Kernels& table, const Heads& heads, Workspace& workspace) {
    const auto rows = std::size_t(heads.B * heads.H * heads.T);
    Forward f{std::vector<Real>(rows * std::size_t(heads.d_v), 7),
              std::vector<Real>(rows * std::size_t(heads.S), 7), std::vector<Real>(rows, 7),
              std::vector<Real>(rows, 7)};
    Attention a = heads.attention();
    a.weights = f.weights.data(), a.row_max = f.row_max.data(), a.row_scale = f.row_scale.data();
    table.attention_forward(f.mix.data(), a, workspace);
    return f;
}

Outputs backward(const Kernels& table, const Heads& heads, bool add, Workspace& workspace) {
    Forward f = forward(table, heads, workspace);
    Attention a = heads.attention();
    a.row_max = f.row_max.data(), a.row_scale = f.row_scale.data();
    std::vector<Real> dQ = random_numbers(Index(heads.Q.size()), 5), dK = dQ;
    std::vector<Real> dV = random_numbers(Index(heads.V.size()), 6);
    std::vector<Real> d_weights(f.weights.size(), 7), d_scores(f.weights.size(), 7);
    const std::vector<Real> d_mix = random_numbers(Index(f.mix.size()), 7);
    table.attention_backward({dQ.data(), add}, {dK.data(), add}, {dV.data(), add}, d_weights.data(),
                             d_scores.data(), d_mix.data(), a, workspace);
    Outputs outputs;
    for (const auto* numbers : {&dQ, &dK, &dV, &d_weights, &d_scores}) append(outputs, *numbers);
    return outputs;
}

constexpr double kAttentionUnit = kDouble ? 1e-14 : 1e-5;

TEST_CASE("the course's example: two positions, weights from scores 0 and ln 3") {
    // d_k = 1, so nothing is divided; query 1 gives score 0 to key 0 and ln 3 to key 1: weights 1/4
    // and 3/4.
    const Real ln3 = Real(1.0986122886681098);
    const Real Q[] = {5, 1}, K[] = {0, ln3}, V[] = {4, 8};
    for (const Kernels* table : tables()) {
        Workspace workspace;
        Real mix[2], weights[4];
        table->attention_forward(mix,
                                 {.B = 1,
                                  .H = 1,
                                  .T = 2,
                                  .S = 2,
                                  .d_k = 1,
                                  .d_v = 1,
                                  .causal = true,
                                  .Q = Q,
                                  .K = K,
                                  .V = V,
                                  .weights = weights},
                                 workspace);
        CHECK(weights[0] == 1);
        CHECK(weights[1] == 0);
        CHECK(close(weights[2], 0.25, 1e-6));
        CHECK(close(weights[3], 0.75, 1e-6));
        CHECK(mix[0] == 4);
        CHECK(close(mix[1], 7, 1e-5));
    }
}

// The last T of S queries, with K as a past keeps it: transposed, with room for more positions, in
// which something stands that must not count. room 0: with K as it comes.
Outputs last_queries(const Kernels& table, const Heads& heads, Index room, Workspace& workspace) {
    const Index C = heads.H * heads.d_k, S = heads.S;
    std::vector<Real> transposed(std::size_t(heads.B * C * room), __builtin_nanf(""));
    std::vector<Real> values(std::size_t(heads.B * room * heads.H * heads.d_v), 9);
    for (Index b = 0; b < heads.B; ++b)
        for (Index s = 0; s < (room > 0 ? S : 0); ++s) {
            for (Index c = 0; c < C; ++c)
                transposed[std::size_t((b * C + c) * room + s)] =
                    heads.K[std::size_t((b * S + s) * C + c)];
            const Index row = heads.H * heads.d_v;
            std::copy_n(heads.V.data() + (b * S + s) * row, row,
                        values.data() + (b * room + s) * row);
        }
    Attention a = heads.attention();
    if (room > 0) {
        a.room = room, a.K = transposed.data(), a.V = values.data();
    }
    Forward f{std::vector<Real>(std::size_t(heads.B * heads.T * heads.H * heads.d_v), 7),
              std::vector<Real>(std::size_t(heads.B * heads.H * heads.T * S), 7),
              {},
              {}};
    a.weights = f.weights.data();
    table.attention_forward(f.mix.data(), a, workspace);
    Outputs outputs;
    append(outputs, f.mix), append(outputs, f.weights);
    return outputs;
}

TEST_CASE("attention with the keys of a past is, bit for bit, attention without one") {
    for (const Index H : {1, 3, 4, 6})
        for (const Index S : {1, 15, 16, 33, 80})
            for (const Index T : {1, 2})
                for (const Index d : {1, 20, 32, 70}) {
                    if (T > S) continue;
                    const Heads heads{
                        .B = 2, .H = H, .T = T, .S = S, .d_k = d, .d_v = d + 1, .causal = true};
                    const auto run = [&](const Kernels& table, Workspace& workspace) {
                        const bool plain = &table == &reference::kernels();
                        return last_queries(table, heads, plain ? 0 : 112, workspace);
                    };
                    check_everywhere(heads.text() + " past", run, kAttentionUnit, kAttentionUnit);
                    Workspace workspace;
                    for (const Kernels* table : tables())
                        CHECK(run(*table, workspace) == last_queries(*table, heads, 0, workspace));
                }
}

TEST_CASE("attention of many shapes, forward and backward") {
    for (bool causal : {true, false})
        for (Index T : {1, 3, 8, 15, 16, 17, 33, 65})
            for (Index d : {1, 4, 16, 20, 32}) {
                const Heads heads{
                    .B = 2, .H = 3, .T = T, .S = T, .d_k = d, .d_v = d, .causal = causal};
                check_everywhere(
                    heads.text(),
                    [&](const Kernels& table, Workspace& workspace) {
                        const Forward f = forward(table, heads, workspace);
                        Outputs outputs;
                        for (const auto* numbers : {&f.mix, &f.weights, &f.row_max, &f.row_scale})
                            append(outputs, *numbers);
                        return outputs;
                    },
                    kAttentionUnit, kAttentionUnit);
                check_everywhere(
                    heads.text() + " backward",
                    [&](const Kernels& table, Workspace& workspace) {
                        return backward(table, heads, T % 2 == 0, workspace);
                    },
                    kAttentionUnit * 10, kAttentionUnit);
            }
}

TEST_CASE("keys and values may differ in size, and more keys than queries may stand before them") {
    for (bool causal : {true, false}) {
        const Heads heads{.B = 2, .H = 2, .T = 5, .S = 37, .d_k = 8, .d_v = 24, .causal = causal};
        check_everywhere(
            heads.text(),
            [&](const Kernels& table, Workspace& workspace) {
                const Forward f = forward(table, heads, workspace);
                Outputs outputs;
                append(outputs, f.mix);
                append(outputs, f.weights);
                return outputs;
            },
            kAttentionUnit, kAttentionUnit);
    }
    const Heads square{.B = 1, .H = 2, .T = 21, .S = 21, .d_k = 8, .d_v = 24, .causal = true};
    check_everywhere(
        square.text(),
        [&](const Kernels& table, Workspace& workspace) {
            return backward(table, square, false, workspace);
        },
        kAttentionUnit * 10, kAttentionUnit);
}

// The gradient of the mix is 1 in one query's first number and 0 elsewhere: then dV holds that
// query's weights.
TEST_CASE("backward makes the weights of forward again, bit for bit") {
    for (const Kernels* table : tables())
        for (Index T : {7, 16, 50}) {
            CAPTURE(std::string(table->name));
            const Heads heads{.B = 1, .H = 1, .T = T, .S = T, .d_k = 12, .d_v = 1, .causal = true};
            Workspace workspace;
            const Forward f = forward(*table, heads, workspace);
            Attention a = heads.attention();
            a.row_max = const_cast<Real*>(f.row_max.data());
            a.row_scale = const_cast<Real*>(f.row_scale.data());
            for (Index t = 0; t < T; ++t) {
                std::vector<Real> d_mix(std::size_t(T), 0), dV(std::size_t(T), 7);
                d_mix[std::size_t(t)] = 1;
                table->attention_backward({}, {}, {dV.data()}, nullptr, nullptr, d_mix.data(), a,
                                          workspace);
                CHECK(std::equal(dV.begin(), dV.end(), f.weights.begin() + t * T));
            }
        }
}

TEST_CASE(
    "one query at a time gives the bits of all at once, and a later token changes nothing before "
    "it") {
    for (const Kernels* table : tables()) {
        CAPTURE(std::string(table->name));
        const Heads whole{.B = 1, .H = 2, .T = 43, .S = 43, .d_k = 16, .d_v = 16, .causal = true};
        Workspace workspace;
        const Forward full = forward(*table, whole, workspace);
        for (Index t = 0; t < whole.T; ++t) {
            CAPTURE(t);
            Attention a = whole.attention();
            a.T = 1, a.S = t + 1, a.Q += t * 2 * 16;
            std::vector<Real> mix(32, 0);
            table->attention_forward(mix.data(), a, workspace);
            CHECK(std::equal(mix.begin(), mix.end(), full.mix.begin() + t * 32));
        }
        Heads other = whole;
        std::fill(other.K.begin() + 30 * 32, other.K.end(), Real(9));
        std::fill(other.V.begin() + 30 * 32, other.V.end(), Real(-9));
        const Forward changed = forward(*table, other, workspace);
        CHECK(std::equal(full.mix.begin(), full.mix.begin() + 30 * 32, changed.mix.begin()));
        CHECK(!std::equal(full.mix.begin(), full.mix.end(), changed.mix.begin()));
    }
}

TEST_CASE("every row of weights sums to one; scores far apart leave one key") {
    for (const Kernels* table : tables()) {
        Heads heads{.B = 1, .H = 1, .T = 33, .S = 33, .d_k = 4, .d_v = 4, .causal = false};
        for (Real& q : heads.Q) q *= 1000;
        Workspace workspace;
        const Forward f = forward(*table, heads, workspace);
        for (std::size_t t = 0; t < 33; ++t) {
            double sum = 0;
            for (std::size_t s = 0; s < 33; ++s) sum += double(f.weights[t * 33 + s]);
            CHECK(close(sum, 1, 1e-5));
        }
    }
}

}  // namespace
}  // namespace zhuyi
