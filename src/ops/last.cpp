#include "ops/last.h"

#include <algorithm>

#include "base/check.h"

namespace zhuyi {

// y[b, 0] = x[b, T - 1]              dx[b, T - 1] += dy[b, 0]
Tensor last(const Tensor& x) {
    require(x.shape.rank() == 3, "last: x is (B, T, C)");
    const Index B = x.shape[0], T = x.shape[1], C = x.columns();
    if (T == 1) return x;
    Tape& tape = *x.tape;
    const Tensor y = tape.tensor({B, 1, C});
    const auto place = [=](Index b) { return (b * T + T - 1) * C; };
    for (Index b = 0; b < B; ++b) std::copy_n(x.value + place(b), C, y.value + b * C);

    tape.record("last", {y}, [=](Tape& t) {
        const Sum dx = t.into_zeroed(x);
        for (Index b = 0; b < B; ++b)
            kernels().accumulate({dx.data + place(b), true}, t.gradient(y) + b * C, C);
    });
    return y;
}

}  // namespace zhuyi
