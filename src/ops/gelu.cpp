#include "ops/gelu.h"

namespace zhuyi {

// With u = √(2/π) (x + 0.044715 x³) and t = tanh u:
//
//     y = x/2 (1 + t)
//     dy/dx = (1 + t)/2 + x/2 (1 - t²) u',      u' = √(2/π) (1 + 3 · 0.044715 x²)
Tensor gelu(const Tensor& x) {
    Tape& tape = *x.tape;
    const Tensor y = tape.tensor(x.shape);
    kernels().gelu_forward(y.value, x.value, x.size());

    tape.record("gelu", {y}, [=](Tape& t) {
        if (const Sum dx = t.into(x)) kernels().gelu_backward(dx, t.gradient(y), x.value, x.size());
    });
    return y;
}

}  // namespace zhuyi
