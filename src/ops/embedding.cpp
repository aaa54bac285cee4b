#include "ops/embedding.h"

#include "autograd/tape.h"
#include "base/check.h"
#include "kernels/kernels.h"

namespace zhuyi {

// Looking up is copying a row. Backward, each position adds its gradient to the row it came from:
//
//     dE[id_t] += dx_t         a token met three times collects three gradients; one not met, none
//     dP[t]    += Σ_texts dx_t  (the sum over the B texts)
Tensor embedding(Tape& tape, std::span<const Token> ids, Index B, const Tensor& E, const Tensor& P,
                 Index first) {
    const Index N = Index(ids.size()), C = E.columns(), T = B > 0 ? N / B : 0;
    require(T > 0 && B * T == N, "embedding: ids hold B texts of the same length");
    if (P && first + T > P.rows())
        fail({"embedding: positions %td to %td, but the model has %td",
              "embedding：位置 %td 到 %td 超出了模型的 %td 个位置"},
             first, first + T - 1, P.rows());
    for (Token id : ids)
        if (id < 0 || id >= E.rows())
            fail({"embedding: token %d is not one of the model's %td",
                  "embedding：token %d 不在模型的 %td 个 token 之内"},
                 int(id), E.rows());
    const std::span<const Token> kept = tape.memory().copy(ids);
    const Tensor x = tape.tensor({B, T, C});
    kernels().embedding_forward(x.value, kept.data(), E.value, P.value, N, T, first, C);

    tape.record("embedding", {x}, [=](Tape& t) {
        kernels().embedding_backward(t.into_zeroed(E), t.into_zeroed(P), t.gradient(x), kept.data(),
                                     N, T, C);
    });
    return x;
}

}  // namespace zhuyi
