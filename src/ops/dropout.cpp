#include "ops/dropout.h"

#include "autograd/tape.h"
#include "kernels/kernels.h"

namespace zhuyi {

// y_i = x_i m_i / (1 - p)            dx_i += dy_i m_i / (1 - p): the same m, drawn again
Tensor dropout(const Tensor& x, double p) {
    if (p == 0) return x;
    Tape& tape = *x.tape;
    const Tensor y = tape.tensor(x.shape);
    const std::uint64_t key = tape.dropouts().next().key();
    kernels().dropout({y.value, false}, x.value, x.size(), p, key);

    tape.record("dropout", {y}, [=](Tape& t) {
        if (const Destination dx = t.into(x))
            kernels().dropout(dx, t.gradient(y), x.size(), p, key);
    });
    return y;
}

}  // namespace zhuyi
