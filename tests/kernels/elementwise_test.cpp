#include <cmath>

#include "kernels/everywhere.h"

namespace zhuyi {
namespace {

constexpr double kUnit = kDouble ? 1e-14 : 1e-6;

TEST_CASE("loops over numbers, of every length around a vector's and a task's") {
    for (Index count : {1, 15, 16, 17, 31, 33, 65, 8191, 8192, 40001})
        for (bool add : {false, true}) {
            const std::vector<Real> a = random_numbers(count, 1, 3), b = random_numbers(count, 2);
            check_everywhere(
                "elementwise " + std::to_string(count),
                [&](const Kernels& table, Workspace& workspace) {
                    Outputs outputs;
                    std::vector<Real> y(std::size_t(count) + 20, 7);  // the last 20 stay
                    table.add(y.data(), a.data(), b.data(), count);
                    append(outputs, y);
                    table.multiply({y.data(), add}, a.data(), b.data(), count);
                    append(outputs, y);
                    table.accumulate({y.data(), add}, a.data(), count);
                    append(outputs, y);
                    table.gelu_forward(y.data(), a.data(), count);
                    append(outputs, y);
                    table.gelu_backward({y.data(), add}, b.data(), a.data(), count);
                    append(outputs, y);
                    table.gelu_erf_forward(y.data(), a.data(), count);
                    append(outputs, y);
                    table.gelu_erf_backward({y.data(), add}, b.data(), a.data(), count);
                    append(outputs, y);
                    table.dropout({y.data(), add}, a.data(), count, 0.3, 0x1234567890abcdef);
                    append(outputs, y);
                    outputs.push_back(table.sum_of_squares(a.data(), count, workspace));
                    return outputs;
                },
                kUnit * 10, kUnit * 10);
        }
}

TEST_CASE("gelu: known values, both ends, NaN") {
    // x Φ(x) in the tanh form: gelu(1) = 0.841192, gelu(-1) = -0.158808
    const std::vector<Real> x = {0, 1, -1, 30, -30, Real(1e10), Real(-1e10), Real(std::nan(""))};
    for (const Kernels* table : tables()) {
        std::vector<Real> y(x.size(), 7), slope(x.size(), 7);
        const std::vector<Real> one(x.size(), 1);
        table->gelu_forward(y.data(), x.data(), Index(x.size()));
        table->gelu_backward({slope.data()}, one.data(), x.data(), Index(x.size()));
        CHECK(y[0] == 0);
        CHECK(close(y[1], 0.841192, 1e-6));
        CHECK(close(y[2], -0.158808, 1e-6));
        CHECK(y[3] == 30);
        CHECK(close(y[4], 0, 1e-6));
        CHECK(y[5] == Real(1e10));
        CHECK(y[7] != y[7]);
        CHECK(slope[0] == Real(0.5));
        CHECK(close(slope[3], 1, 1e-6));
        CHECK(close(slope[4], 0, 1e-6));
        CHECK(slope[7] != slope[7]);
    }
}

TEST_CASE("gelu by erf: known values, both ends, NaN") {
    // x Φ(x): Φ(1) = 0.8413447460685429, Φ(-3) = 0.001349898031630095
    const std::vector<Real> x = {
        0, 1, -1, -3, 30, -30, Real(1e10), Real(-1e10), Real(std::nan(""))};
    const double unit = kDouble ? 1e-15 : 1e-7;
    for (const Kernels* table : tables()) {
        std::vector<Real> y(x.size(), 7), slope(x.size(), 7);
        const std::vector<Real> one(x.size(), 1);
        table->gelu_erf_forward(y.data(), x.data(), Index(x.size()));
        table->gelu_erf_backward({slope.data()}, one.data(), x.data(), Index(x.size()));
        CHECK(y[0] == 0);
        CHECK(close(y[1], 0.8413447460685429, unit));
        CHECK(close(y[2], -0.15865525393145707, unit));
        CHECK(close(y[3], -0.004049694094890285, 0, 10 * unit));
        CHECK(y[4] == 30);
        CHECK(close(y[5], 0, unit));
        CHECK(y[6] == Real(1e10));
        CHECK(close(y[7], 0, unit));
        CHECK(y[8] != y[8]);
        CHECK(slope[0] == Real(0.5));
        CHECK(close(slope[4], 1, unit));
        CHECK(close(slope[5], 0, unit));
        CHECK(slope[8] != slope[8]);
    }
}

TEST_CASE("dropout drops its share, scales the rest, and is the same function backward") {
    const Index count = 100000;
    const std::vector<Real> ones(std::size_t(count), 1);
    std::vector<Real> y(std::size_t(count), 7);
    kernels().dropout({y.data()}, ones.data(), count, 0.2, 42);
    Index dropped = 0;
    for (Real v : y) {
        dropped += v == 0;
        if (v != 0) REQUIRE(v == Real(1 / 0.8));
    }
    CHECK(close(double(dropped), 20000, 500));  // four standard deviations
}

TEST_CASE("AdamW: the first step moves every weight by the learning rate, against its gradient") {
    for (const Kernels* table : tables()) {
        Real w[] = {1, 1}, m[] = {0, 0}, v[] = {0, 0};
        const Real g[] = {Real(0.5), Real(-1e-3)};
        table->adamw(w, g, m, v, 2,
                     {.learning_rate = 0.1,
                      .beta1 = 0.9,
                      .beta2 = 0.95,
                      .epsilon = 1e-8,
                      .weight_decay = 0,
                      .gradient_scale = 1,
                      .step = 1});
        CHECK(close(w[0], 0.9, 1e-5));
        CHECK(close(w[1], 1.1, 1e-5));
    }
}

TEST_CASE("AdamW of many lengths and steps, with decay and a clipped gradient") {
    for (Index count : {1, 17, 20000})
        for (Index step : {1, 2, 1000}) {
            const std::vector<Real> g = random_numbers(count, 1);
            check_everywhere(
                "adamw " + std::to_string(count),
                [&](const Kernels& table, Workspace&) {
                    std::vector<Real> w = random_numbers(count, 2), m = random_numbers(count, 3),
                                      v = m;
                    for (Real& x : v) x = x * x;
                    table.adamw(w.data(), g.data(), m.data(), v.data(), count,
                                {.learning_rate = 1e-2,
                                 .beta1 = 0.9,
                                 .beta2 = 0.999,
                                 .epsilon = 1e-8,
                                 .weight_decay = 0.1,
                                 .gradient_scale = 0.3,
                                 .step = step});
                    Outputs outputs;
                    for (const auto* numbers : {&w, &m, &v}) append(outputs, *numbers);
                    return outputs;
                },
                kUnit, kUnit * 20);
        }
}

}  // namespace
}  // namespace zhuyi
