#include "kernels/everywhere.h"

namespace zhuyi {
namespace {

TEST_CASE("bf16 operands: ties to even, zeros for what is too small, infinities and NaN kept") {
    if (kDouble) return;
    const float inf = __builtin_inff(), nan = __builtin_nanf("");
    // 1 + 2^-8 lies between 1 and 1 + 2^-7: to the even one. 1 + 3 · 2^-8 goes up.
    const std::vector<Real> x = {1 + 0x1p-8f,
                                 1 + 0x3p-8f,
                                 1 + 0x1.02p-8f,
                                 -(1 + 0x1p-8f),
                                 0x1p-130f,
                                 inf,
                                 -inf,
                                 nan,
                                 0x1.fffffep127f,
                                 3};
    const std::vector<float> expected = {1,   1 + 0x1p-6f, 1 + 0x1p-7f, -1,  0,
                                         inf, -inf,        nan,         inf, 3};
    const Real one = 1;
    for (const Kernels* table : tables())
        for (bool transposed : {false, true}) {
            CAPTURE(std::string(table->name));
            Workspace workspace;
            std::vector<Real> y(x.size(), 0);
            const Index n = Index(x.size());
            if (transposed)  // x · 1
                table->gemm({.M = n,
                             .N = 1,
                             .K = 1,
                             .A = {x.data(), 1, 1},
                             .B = {&one, 1, 1},
                             .C = {y.data()},
                             .stride = 1,
                             .precision = Precision::bf16},
                            workspace);
            else  // 1 · x
                table->gemm({.M = 1,
                             .N = n,
                             .K = 1,
                             .A = {&one, 1, 1},
                             .B = {x.data(), n, 1},
                             .C = {y.data()},
                             .stride = n,
                             .precision = Precision::bf16},
                            workspace);
            for (std::size_t i = 0; i < x.size(); ++i) {
                CAPTURE(i);
                if (expected[i] != expected[i])
                    CHECK(y[i] != y[i]);
                else
                    CHECK(y[i] == Real(expected[i]));
            }
        }
}

}  // namespace
}  // namespace zhuyi
