#include "ops/gelu.h"

#include "autograd/tape.h"
#include "kernels/kernels.h"

namespace zhuyi {

// gelu_new, with u = √(2/π) (x + 0.044715 x³) and t = tanh u:
//
//     y = x/2 (1 + t)
//     dy/dx = (1 + t)/2 + x/2 (1 - t²) u',      u' = √(2/π) (1 + 3 · 0.044715 x²)
//
// gelu, with φ = Φ', the bell curve e^{-x²/2} / √(2π):
//
//     y = x Φ(x)
//     dy/dx = Φ(x) + x φ(x)
Tensor gelu(const Tensor& x, Activation form) {
    Tape& tape = *x.tape;
    const Tensor y = tape.tensor(x.shape);
    const bool by_tanh = form == Activation::gelu_new;
    (by_tanh ? kernels().gelu_forward : kernels().gelu_erf_forward)(y.value, x.value, x.size());

    tape.record("gelu", {y}, [=](Tape& t) {
        const auto backward = by_tanh ? kernels().gelu_backward : kernels().gelu_erf_backward;
        if (const Destination dx = t.into(x)) backward(dx, t.gradient(y), x.value, x.size());
    });
    return y;
}

}  // namespace zhuyi
