#include "ops/add.h"

#include "autograd/tape.h"
#include "base/check.h"
#include "kernels/kernels.h"

namespace zhuyi {

// y = a + b                          da += dy,  db += dy
Tensor add(const Tensor& a, const Tensor& b) {
    require(a.shape == b.shape, "add: both sides need the same shape");
    Tape& tape = *a.tape;
    const Tensor y = tape.tensor(a.shape);
    kernels().add(y.value, a.value, b.value, y.size());

    tape.record("add", {y}, [=](Tape& t) {
        t.pass_on(y, b);
        t.pass_on(y, a);
    });
    return y;
}

}  // namespace zhuyi
