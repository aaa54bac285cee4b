// A matrix that is laid out for writing: a product with its strips gives the bits of one without.
#include "base/arena.h"
#include "kernels/everywhere.h"
#include "kernels/past.h"

namespace zhuyi {
namespace {

// B (K, N) as it stands or transposed, and its strips as `table` lays them out.
struct LaidOut {
    Matrix B;
    AlignedBytes memory;

    LaidOut(const Kernels& table, const std::vector<Real>& numbers, Index K, Index N,
            bool transposed, Precision precision)
        : B{numbers.data(), transposed ? 1 : N, transposed ? K : 1},
          memory(allocate_aligned(table.strips_bytes(K, N, precision) + 64)) {
        table.lay_in_strips(memory.get(), B, K, N, precision);
    }
};

TEST_CASE("strips: two columns of three numbers, in bf16 two numbers a word") {
    //  1  2      strip: the column's k 0 in the upper half of its first word, k 1 in the lower;
    //  3 -4             k 2 in the upper half of its second word, nothing in the lower
    //  5  6
    const std::vector<Real> numbers{1, 2, 3, -4, 5, 6};
    for (const Kernels* table : tables()) {
        CHECK(table->strips_bytes(3, 2, Precision::bf16) == 2 * 16 * 4);
        CHECK(table->strips_bytes(3, 17, Precision::bf16) == 2 * 2 * 16 * 4);
        CHECK(table->strips_bytes(3, 2, Precision::fp32) == 3 * 16 * sizeof(Real));
        for (const bool transposed : {false, true}) {
            const std::vector<Real> columns{1, 3, 5, 2, -4, 6};
            const LaidOut half(*table, transposed ? columns : numbers, 3, 2, transposed,
                               Precision::bf16);
            const auto* words = reinterpret_cast<const std::uint32_t*>(half.memory.get());
            CHECK(words[0] == 0x3f804040u);  // 1, 3
            CHECK(words[1] == 0x4000c080u);  // 2, -4
            CHECK(words[2] == 0);            // no such column
            CHECK(words[16] == 0x40a00000u);
            CHECK(words[17] == 0x40c00000u);
            const LaidOut whole(*table, transposed ? columns : numbers, 3, 2, transposed,
                                Precision::fp32);
            const auto* reals = reinterpret_cast<const Real*>(whole.memory.get());
            CHECK(reals[16] == 3);
            CHECK(reals[17] == -4);
            CHECK(reals[18] == 0);
        }
    }
}

// A past that holds no positions, and knows one matrix (K, N).
Past past_with(const Matrix& B, Index K, Index N, Precision precision, const Kernels& table) {
    const std::vector<StripsOfWeights::Weights> weights{{B, K, N}};
    return {1, 1, 1, 1, std::make_shared<const StripsOfWeights>(weights, precision, table)};
}

struct FewRowsCase {
    Index M, N, K;
    bool transposed, add;
    Finish finish;
    Precision precision;
};

Outputs product_of(const FewRowsCase& p, const Kernels& table, Workspace& workspace, bool strips) {
    const std::vector<Real> a = random_numbers(p.M * p.K, 1), b = random_numbers(p.K * p.N, 2);
    const std::vector<Real> bias = random_numbers(p.N, 3);
    std::vector<Real> c = random_numbers(p.M * (p.N + 3), 4);
    const Matrix B{b.data(), p.transposed ? 1 : p.N, p.transposed ? p.K : 1};
    const Past past = past_with(B, p.K, p.N, p.precision, table);
    Gemm gemm{.M = p.M,
              .N = p.N,
              .K = p.K,
              .A = {a.data(), p.K, 1},
              .B = B,
              .C = {c.data(), p.add},
              .stride = p.N + 3,
              .bias = p.add ? nullptr : bias.data(),
              .precision = p.precision,
              .finish = p.finish};
    workspace.past = strips ? &past : nullptr;
    table.gemm(gemm, workspace);
    workspace.past = nullptr;
    Outputs outputs;
    append(outputs, c);
    return outputs;
}

TEST_CASE("strips: products of few rows are, bit for bit, those without, on every machine") {
    for (const Precision precision : {Precision::fp32, Precision::bf16})
        for (const Index N : {1, 16, 17, 96, 130, 700})
            for (const Index K : {1, 2, 19, 96}) {
                const Index M = 1 + (N + K) % 5;  // 5: too many rows, the strips are left alone
                const FewRowsCase p{M, N, K, N % 3 == 0, K % 2 == 0, Finish::none, precision};
                CAPTURE(M);
                CAPTURE(N);
                CAPTURE(K);
                const auto run = [&](const Kernels& table, Workspace& workspace) {
                    return product_of(p, table, workspace, true);
                };
                check_everywhere("strips", run, kDouble ? 1e-12 : 1e-4, 1e-5);
                Workspace workspace;
                for (const Kernels* table : tables())
                    CHECK(run(*table, workspace) == product_of(p, *table, workspace, false));
            }
}

TEST_CASE("strips: each number of rows, GELU at the end, and a row is what it is alone") {
    for (const Precision precision : {Precision::fp32, Precision::bf16})
        for (const Kernels* table : tables()) {
            Workspace workspace;
            const auto rows = [&](Index M, bool strips) {
                return product_of({M, 100, 33, false, false, Finish::gelu, precision}, *table,
                                  workspace, strips);
            };
            const Outputs four = rows(4, true);
            CHECK(four == rows(4, false));
            for (const Index M : {1, 2, 3}) {
                const Outputs some = rows(M, true);
                CHECK(std::equal(some.begin(), some.end() - 3, four.begin()));
            }
        }
}

TEST_CASE("strips: what is too small, infinite or no number is rounded as everywhere") {
    if (kDouble) return;
    const float inf = __builtin_inff(), nan = __builtin_nanf("");
    const std::vector<Real> numbers{1 + 0x1p-8f, 1 + 0x3p-8f, -(1 + 0x1p-8f), 0x1p-130f,
                                    inf,         nan,         -0.0f,          0x1.fffffep127f};
    const Index N = Index(numbers.size());
    const Real one = 1;
    for (const Kernels* table : tables())
        for (const bool transposed : {false, true}) {
            const Matrix B{numbers.data(), transposed ? 1 : N, 1};
            const Past past = past_with(B, 1, N, Precision::bf16, *table);
            Outputs found[2];
            for (const bool strips : {false, true}) {
                Gemm gemm{.M = 1,
                          .N = N,
                          .K = 1,
                          .A = {&one, 1, 1},
                          .B = B,
                          .C = {},
                          .stride = N,
                          .precision = Precision::bf16};
                std::vector<Real> c(numbers.size(), 7);
                gemm.C.data = c.data();
                Workspace workspace;
                workspace.past = strips ? &past : nullptr;
                table->gemm(gemm, workspace);
                append(found[strips], c);
            }
            CHECK(std::memcmp(found[0].data(), found[1].data(), 4 * sizeof(double)) == 0);
            CHECK(found[1][4] == double(inf));
            CHECK(found[1][5] != found[1][5]);
            CHECK(found[1][7] == double(inf));
        }
}

}  // namespace
}  // namespace zhuyi
