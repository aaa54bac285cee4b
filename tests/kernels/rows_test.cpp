#include <cmath>

#include "kernels/everywhere.h"

namespace zhuyi {
namespace {

constexpr double kRowUnit = kDouble ? 1e-13 : 1e-5;

TEST_CASE("layer_norm of (1, 3): mean 2, deviation 1") {
    const Real x[] = {1, 3}, gamma[] = {10, 10}, beta[] = {0, 5};
    for (const Kernels* table : tables()) {
        Real y[2], mean, rstd;
        table->layer_norm_forward(y, &mean, &rstd, x, gamma, beta, 1, 2);
        CHECK(mean == 2);
        CHECK(close(rstd, 1 / std::sqrt(1 + 1e-5), 1e-6));
        CHECK(close(y[0], -10, 1e-3));
        CHECK(close(y[1], 15, 1e-3));
    }
}

TEST_CASE("layer_norm of many shapes") {
    for (Index N : {1, 2, 31, 33, 70})
        for (Index C : {1, 2, 15, 16, 17, 65, 384}) {
            const std::vector<Real> x = random_numbers(N * C, 1), gamma = random_numbers(C, 2);
            const std::vector<Real> beta = random_numbers(C, 3), dy = random_numbers(N * C, 4);
            for (bool add : {false, true})
                check_everywhere(
                    "layer_norm " + std::to_string(N) + " x " + std::to_string(C),
                    [&](const Kernels& table, Workspace& workspace) {
                        std::vector<Real> y(x.size(), 7), mean(std::size_t(N), 7), rstd = mean;
                        table.layer_norm_forward(y.data(), mean.data(), rstd.data(), x.data(),
                                                 gamma.data(), beta.data(), N, C);
                        std::vector<Real> dx = random_numbers(N * C, 5), dgamma = gamma,
                                          dbeta = beta;
                        table.layer_norm_backward(
                            {dx.data(), add}, {dgamma.data(), add}, {dbeta.data(), add}, dy.data(),
                            x.data(), mean.data(), rstd.data(), gamma.data(), N, C, workspace);
                        Outputs outputs;
                        for (const auto* numbers : {&y, &mean, &rstd, &dgamma, &dbeta})
                            append(outputs, *numbers);
                        if (C > 1)
                            append(outputs, dx);  // of one number: 316 · 0, whatever that rounds to
                        return outputs;
                    },
                    kRowUnit * 10, kRowUnit * 10);
        }
}

TEST_CASE("layer_norm's gradients that nobody wants are left alone") {
    const std::vector<Real> x = random_numbers(40, 1), gamma = random_numbers(8, 2);
    const std::vector<Real> mean(5, 0), rstd(5, 1);
    for (const Kernels* table : tables()) {
        Workspace workspace;
        std::vector<Real> dx(40, 7), dbeta(8, 7);
        table->layer_norm_backward({dx.data()}, {}, {}, x.data(), x.data(), mean.data(),
                                   rstd.data(), gamma.data(), 5, 8, workspace);
        CHECK(dx[0] != 7);
        table->layer_norm_backward({}, {}, {dbeta.data()}, x.data(), x.data(), mean.data(),
                                   rstd.data(), gamma.data(), 5, 8, workspace);
        CHECK(dbeta[0] != 7);
    }
}

TEST_CASE("sum_rows adds down the columns") {
    for (Index N : {1, 3, 70})
        for (Index C : {1, 16, 63, 64, 65, 200})
            for (bool add : {false, true}) {
                const std::vector<Real> dy = random_numbers(N * C, 1);
                check_everywhere(
                    "sum_rows " + std::to_string(N) + " x " + std::to_string(C),
                    [&](const Kernels& table, Workspace&) {
                        std::vector<Real> db = random_numbers(C, 2);
                        table.sum_rows({db.data(), add}, dy.data(), N, C);
                        Outputs outputs;
                        append(outputs, db);
                        return outputs;
                    },
                    kRowUnit, kRowUnit);
            }
}

TEST_CASE("cross_entropy of equal logits is ln V") {
    const std::vector<Real> logits(65, 3);
    const Token target = 7;
    for (const Kernels* table : tables()) {
        double loss;
        Real max, scale;
        table->cross_entropy_forward(&loss, &max, &scale, logits.data(), &target, 1, 65, 65);
        CHECK(close(loss, std::log(65.0), 1e-6));
        CHECK(max == 3);
        CHECK(close(scale, 1.0 / 65, 1e-8));
    }
}

TEST_CASE("cross_entropy of many shapes; what stands between the rows stays") {
    for (Index N : {1, 7})
        for (Index V : {1, 2, 15, 17, 65, 3000})
            for (bool add : {false, true}) {
                const Index stride = V + 5;
                const std::vector<Real> logits = random_numbers(N * stride, 1, 3);
                const std::vector<Token> targets = random_tokens(N, 2, V);
                check_everywhere(
                    "cross_entropy " + std::to_string(N) + " x " + std::to_string(V),
                    [&](const Kernels& table, Workspace&) {
                        std::vector<double> loss(std::size_t(N), 7);
                        std::vector<Real> max(std::size_t(N), 7), scale = max;
                        std::vector<Real> dlogits = random_numbers(N * stride, 3);
                        table.cross_entropy_forward(loss.data(), max.data(), scale.data(),
                                                    logits.data(), targets.data(), N, V, stride);
                        table.cross_entropy_backward({dlogits.data(), add}, logits.data(),
                                                     max.data(), scale.data(), targets.data(),
                                                     Real(0.25), N, V, stride);
                        Outputs outputs = loss;
                        for (const auto* numbers : {&max, &scale, &dlogits})
                            append(outputs, *numbers);
                        return outputs;
                    },
                    kRowUnit, kRowUnit);
            }
}

TEST_CASE("a NaN among the logits makes the loss NaN, wherever it stands") {
    for (const Kernels* table : tables())
        for (std::size_t place : {0u, 15u, 16u, 39u}) {
            CAPTURE(place);
            std::vector<Real> logits = random_numbers(40, 1);
            logits[place] = Real(std::nan(""));
            const Token target = 3;
            double loss;
            Real max, scale;
            table->cross_entropy_forward(&loss, &max, &scale, logits.data(), &target, 1, 40, 40);
            CHECK(loss != loss);
        }
}

TEST_CASE("rotary of many shapes, forth and back; back again is where it began") {
    for (Index T : {1, 3, 40})
        for (Index H : {1, 3})
            for (Index D : {2, 6, 32, 38})
                for (bool add : {false, true}) {
                    const Index N = 2 * T;
                    const std::vector<Real> x = random_numbers(N * H * D, 1);
                    const std::vector<Real> angles = random_numbers(T * D, 2);
                    check_everywhere(
                        "rotary " + std::to_string(T) + " x " + std::to_string(H) + " x " +
                            std::to_string(D),
                        [&](const Kernels& table, Workspace&) {
                            Outputs outputs;
                            for (const Turn turn : {Turn::forth, Turn::back}) {
                                std::vector<Real> y = random_numbers(N * H * D, 3);
                                table.rotary({y.data(), add}, x.data(), angles.data(), N, T, H, D,
                                             turn);
                                append(outputs, y);
                            }
                            return outputs;
                        },
                        kRowUnit, kRowUnit);
                }
}

TEST_CASE("embedding: rows there and back, a token that stands twice gets both gradients") {
    for (Index C : {1, 16, 20, 65})
        for (bool positions : {true, false}) {
            const Index T = 6, N = 18, V = 5;
            const std::vector<Real> E = random_numbers(V * C, 1),
                                    P = random_numbers((T + 2) * C, 2);
            const std::vector<Real> dx = random_numbers(N * C, 3);
            const std::vector<Token> ids = random_tokens(N, 4, V);
            check_everywhere(
                "embedding",
                [&](const Kernels& table, Workspace&) {
                    std::vector<Real> x(std::size_t(N * C), 7), dE = E, dP = P;
                    table.embedding_forward(x.data(), ids.data(), E.data(),
                                            positions ? P.data() : nullptr, N, T, 2, C);
                    table.embedding_backward(
                        {dE.data(), true},
                        positions ? Destination{dP.data(), C > 16} : Destination{}, dx.data(),
                        ids.data(), N, T, C);
                    Outputs outputs;
                    for (const auto* numbers : {&x, &dE, &dP}) append(outputs, *numbers);
                    return outputs;
                },
                kRowUnit, kRowUnit);
        }
}

}  // namespace
}  // namespace zhuyi
