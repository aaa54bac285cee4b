#include "kernels/everywhere.h"

namespace zhuyi {
namespace {

struct Product {
    Index M, N, K;
    bool A_transposed = false, B_transposed = false, add = false, bias = false;
    Precision precision = Precision::fp32;
    Index gap = 3;  // between the rows of C; must stay as it was

    std::string text() const {
        return std::to_string(M) + " x " + std::to_string(N) + " x " + std::to_string(K) +
               (A_transposed ? " Aᵀ" : "") + (B_transposed ? " Bᵀ" : "") + (add ? " add" : "") +
               (bias ? " bias" : "") + (precision == Precision::bf16 ? " bf16" : "");
    }
};

// What `table` makes of these numbers in C.
Outputs product_in(std::vector<Real> c, Gemm gemm, const Kernels& table, Workspace& workspace) {
    gemm.C.data = c.data();
    table.gemm(gemm, workspace);
    Outputs outputs;
    append(outputs, c);
    return outputs;
}

void check(const Product& p, double abs = 0) {
    const std::vector<Real> a = random_numbers(p.M * p.K, 1), b = random_numbers(p.K * p.N, 2);
    const std::vector<Real> bias = random_numbers(p.N, 3);
    const std::vector<Real> before = random_numbers(p.M * (p.N + p.gap), 4);
    const auto run = [&](const Kernels& table, Workspace& workspace) {
        const Gemm gemm{.M = p.M,
                        .N = p.N,
                        .K = p.K,
                        .A = p.A_transposed ? Matrix{a.data(), 1, p.M} : Matrix{a.data(), p.K, 1},
                        .B = p.B_transposed ? Matrix{b.data(), 1, p.K} : Matrix{b.data(), p.N, 1},
                        .C = {nullptr, p.add},
                        .stride = p.N + p.gap,
                        .bias = p.bias ? bias.data() : nullptr,
                        .precision = p.precision};
        return product_in(before, gemm, table, workspace);
    };
    const double unit = kDouble ? 1e-15 : 3e-7;
    check_everywhere(p.text(), run, abs > 0 ? abs : unit * (8 + double(p.K)), unit * 4);
}

TEST_CASE("a product one can do with a pencil") {
    //  (1 2) (5 6)   (19 22)
    //  (3 4) (7 8) = (43 50)
    const Real a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8};
    for (const Kernels* table : tables()) {
        Workspace workspace;
        Real c[] = {0, 0, 0, 0};
        table->gemm({.M = 2, .N = 2, .K = 2, .A = {a, 2, 1}, .B = {b, 2, 1}, .C = {c}, .stride = 2},
                    workspace);
        CHECK(c[0] == 19);
        CHECK(c[1] == 22);
        CHECK(c[2] == 43);
        CHECK(c[3] == 50);
    }
}

TEST_CASE("products of every size around the tiles' borders") {
    const Index sizes[] = {1, 2, 5, 15, 16, 17, 31, 33, 65};
    for (Index M : sizes)
        for (Index N : sizes) check({.M = M, .N = N, .K = 19});
    for (Index K : sizes) check({.M = 15, .N = 33, .K = K, .bias = true});
    check({.M = 3, .N = 4, .K = 0, .add = true});
    check({.M = 3, .N = 4, .K = 0, .bias = true});
}

TEST_CASE("the ways a matrix may stand in memory, sums and stores, both precisions") {
    for (Precision precision : {Precision::fp32, Precision::bf16})
        for (bool A_transposed : {false, true})
            for (bool B_transposed : {false, true})
                for (bool add : {false, true})
                    for (Index size : {1, 7, 33, 70})
                        check({.M = size,
                               .N = size + 1,
                               .K = size + 2,
                               .A_transposed = A_transposed,
                               .B_transposed = B_transposed,
                               .add = add,
                               .bias = !add,
                               .precision = precision});
}

TEST_CASE("products large enough for blocks, several pieces of k and stores past the caches") {
    for (Precision precision : {Precision::fp32, Precision::bf16}) {
        check({.M = 70, .N = 130, .K = 900, .precision = precision});
        check({.M = 600, .N = 65, .K = 40, .B_transposed = true, .precision = precision});
        check({.M = 3, .N = 96, .K = 801, .B_transposed = true, .precision = precision});
        check({.M = 1, .N = 800, .K = 300, .precision = precision});
        check({.M = 1,
               .N = 300,
               .K = 450,
               .B_transposed = true,
               .bias = true,
               .precision = precision});
    }
    // B's rows are far apart: the first panel's tiles read and copy them, in three pieces of k.
    for (Index M : {13, 70}) check({.M = M, .N = 421, .K = 1100, .bias = true});
    // The head's dX: A (M, K) is too large to be packed at once.
    check({.M = 256, .N = 17, .K = 9001, .precision = Precision::bf16});
    check({.M = 256, .N = 17, .K = 9001});
    check({.M = 512, .N = 512, .K = 33, .A_transposed = true, .gap = 0});  // dW
}

// Q, K and V of one x (M, K), and the way back: products side by side give what they give alone.
Outputs three(const Kernels& table, Workspace& workspace, Index M, const std::vector<Index>& widths,
              Index K, Precision precision, bool together) {
    const std::vector<Real> x = random_numbers(M * K, 1);
    std::vector<std::vector<Real>> W, y, dW, bias;
    std::vector<Real> dx(std::size_t(M * K), 7);
    for (Index N : widths) {
        W.push_back(random_numbers(K * N, 2 + W.size()));
        bias.push_back(random_numbers(N, 20 + W.size()));
        y.emplace_back(std::size_t(M * N), 7);
        dW.emplace_back(std::size_t(K * N), 7);
    }
    std::vector<Gemm> forward, back, weights;
    for (std::size_t i = 0; i < widths.size(); ++i) {
        const Index N = widths[i];
        forward.push_back({.M = M,
                           .N = N,
                           .K = K,
                           .A = {x.data(), K, 1},
                           .B = {W[i].data(), N, 1},
                           .C = {y[i].data()},
                           .stride = N,
                           .bias = bias[i].data(),
                           .precision = precision});
        back.push_back({.M = M,
                        .N = K,
                        .K = N,
                        .A = {y[i].data(), N, 1},
                        .B = {W[i].data(), 1, N},
                        .C = {dx.data(), i > 0},
                        .stride = K,
                        .precision = precision});
        weights.push_back({.M = K,
                           .N = N,
                           .K = M,
                           .A = {x.data(), 1, K},
                           .B = {y[i].data(), N, 1},
                           .C = {dW[i].data()},
                           .stride = N,
                           .precision = precision});
    }
    for (const std::vector<Gemm>* products : {&forward, &back, &weights})
        if (together)
            table.gemms(products->data(), Index(products->size()), workspace);
        else
            for (const Gemm& product : *products) table.gemm(product, workspace);
    Outputs outputs;
    for (std::size_t i = 0; i < widths.size(); ++i) append(outputs, y[i]), append(outputs, dW[i]);
    append(outputs, dx);
    return outputs;
}

TEST_CASE(
    "several products of one A, and several that add to one C, are the bits of one after another") {
    for (Precision precision : {Precision::fp32, Precision::bf16})
        for (const std::vector<Index>& widths : {std::vector<Index>{16, 16, 16},
                                                 {48, 31, 65},
                                                 {1, 2},
                                                 {64, 64, 64, 64, 64},
                                                 {400, 33, 400}})
            for (Index M : {1, 7, 33, 100}) {
                const auto run = [&](const Kernels& table, Workspace& workspace) {
                    return three(table, workspace, M, widths, 40, precision, true);
                };
                check_everywhere("together", run, kDouble ? 1e-10 : 2e-2, 1e-3);
                Workspace workspace;
                for (const Kernels* table : tables())
                    CHECK(run(*table, workspace) ==
                          three(*table, workspace, M, widths, 40, precision, false));
            }
}

TEST_CASE("GELU at the end of a product is GELU behind it, and its slope the derivative") {
    for (Index M : {1, 3, 20, 70})
        for (Index N : {1, 16, 33, 130}) {
            const Index K = 400;
            const std::vector<Real> a = random_numbers(M * K, 1, 0.1), b = random_numbers(K * N, 2);
            const std::vector<Real> one(std::size_t(M * N), 1);
            const auto product = [&](const Kernels& table, Workspace& workspace, bool fused) {
                std::vector<Real> c(std::size_t(M * N), 7), slope = c;
                Gemm g{.M = M,
                       .N = N,
                       .K = K,
                       .A = {a.data(), K, 1},
                       .B = {b.data(), N, 1},
                       .C = {c.data()},
                       .stride = N};
                if (fused) g.finish = Finish::gelu, g.slope = slope.data();
                table.gemm(g, workspace);
                if (!fused) {
                    table.gelu_backward({slope.data()}, one.data(), c.data(), M * N);
                    table.gelu_forward(c.data(), c.data(), M * N);
                }
                Outputs outputs;
                append(outputs, c);
                append(outputs, slope);
                return outputs;
            };
            check_everywhere(
                "gelu",
                [&](const Kernels& table, Workspace& workspace) {
                    return product(table, workspace, true);
                },
                kDouble ? 1e-12 : 1e-4, 1e-4);
            Workspace workspace;
            for (const Kernels* table : tables())
                CHECK(product(*table, workspace, true) == product(*table, workspace, false));
        }
}

TEST_CASE("neither rows nor columns of A and B need be neighbours") {
    const std::vector<Real> a = random_numbers(3000, 1), b = random_numbers(3000, 2);
    for (Precision precision : {Precision::fp32, Precision::bf16})
        check_everywhere(
            "strides",
            [&](const Kernels& table, Workspace& workspace) {
                const Gemm gemm{.M = 20,
                                .N = 21,
                                .K = 18,
                                .A = {a.data(), 2, 45},
                                .B = {b.data(), 70, 3},
                                .C = {},
                                .stride = 21,
                                .precision = precision};
                return product_in(std::vector<Real>(20 * 21), gemm, table, workspace);
            },
            1e-5, 1e-5);
}

TEST_CASE(
    "numbers of very different size: what cancels and what is flushed to zero is the same "
    "everywhere") {
    for (Precision precision : {Precision::fp32, Precision::bf16}) {
        std::vector<Real> a = random_numbers(40 * 50, 1), b = random_numbers(50 * 40, 2);
        for (std::size_t i = 0; i < a.size(); ++i) {
            a[i] *= Real(i % 3 == 0 ? 1e-20 : i % 3 == 1 ? 1 : 1e15);
            b[i] *= Real(i % 5 == 0 ? 1e-19 : i % 5 == 1 ? 1e-38 : 1e10);
        }
        const auto run = [&](const Kernels& table, Workspace& workspace) {
            const Gemm gemm{.M = 40,
                            .N = 40,
                            .K = 50,
                            .A = {a.data(), 50, 1},
                            .B = {b.data(), 40, 1},
                            .C = {},
                            .stride = 40,
                            .precision = precision};
            return product_in(std::vector<Real>(40 * 40), gemm, table, workspace);
        };
        check_everywhere("wide range", run, 1e21, 1e-5);
        for (Real& x : a) x *= Real(1e-18);  // products around 2^-126
        for (Real& x : b) x = x > 0 ? Real(1e-20) : Real(-1e-20);
        check_everywhere("products around the smallest normal number", run, 1e-15, 1e-5);
    }
}

}  // namespace
}  // namespace zhuyi
