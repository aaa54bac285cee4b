#include "ops/last.h"

#include <algorithm>

#include "autograd/tape.h"
#include "base/check.h"
#include "kernels/kernels.h"

namespace zhuyi {

// y[b, 0] = x[b, T - 1]              dx[b, T - 1] += dy[b, 0]
Tensor last(const Tensor& x) {
    require(x.shape.rank() == 3, "last: x is (B, T, C)");
    const Index B = x.shape[0], T = x.shape[1], C = x.columns();
    if (T == 1) return x;
    Tape& tape = *x.tape;
    const Tensor y = tape.tensor({B, 1, C});
    const auto each_text = [=](const auto& row) {  // row(offset in y, offset in x)
        for (Index b = 0; b < B; ++b) row(b * C, (b * T + T - 1) * C);
    };
    each_text([&](Index in_y, Index in_x) { std::copy_n(x.value + in_x, C, y.value + in_y); });

    tape.record("last", {y}, [=](Tape& t) {
        const Destination dx = t.into_zeroed(x);
        each_text([&](Index in_y, Index in_x) {
            kernels().accumulate({dx.data + in_x, true}, t.gradient(y) + in_y, C);
        });
    });
    return y;
}

}  // namespace zhuyi
