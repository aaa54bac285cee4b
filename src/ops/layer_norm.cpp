#include "ops/layer_norm.h"

#include "autograd/tape.h"
#include "base/check.h"
#include "kernels/kernels.h"

namespace zhuyi {

// One mean and one rstd = 1/√(variance + ε) for each row, with ε = 1e-5. Backward has three terms,
// because mean and rstd depend on every x of the row. With dn = gamma dy:
//
//     dx += rstd (dn - avg(dn) - n avg(dn n))
//                direct  by mean   by rstd
//     dgamma += Σ_rows dy n,    dbeta += Σ_rows dy
Tensor layer_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta) {
    const Index N = x.rows(), C = x.columns();
    require(gamma.size() == C && beta.size() == C, "layer_norm: gamma and beta have C elements");
    Tape& tape = *x.tape;
    const Tensor y = tape.tensor(x.shape);
    Real* mean = tape.memory().array<Real>(N).data();  // (N), rstd too
    Real* rstd = tape.memory().array<Real>(N).data();
    kernels().layer_norm_forward(y.value, mean, rstd, x.value, gamma.value, beta.value, N, C);

    tape.record("layer_norm", {y}, [=](Tape& t) {
        kernels().layer_norm_backward(t.into(x), t.into(gamma), t.into(beta), t.gradient(y),
                                      x.value, mean, rstd, gamma.value, N, C, t.workspace());
    });
    return y;
}

}  // namespace zhuyi
