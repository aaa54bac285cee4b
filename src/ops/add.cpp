#include "ops/add.h"

#include "base/check.h"

namespace zhuyi {

// y = a + b                          da += dy,  db += dy
Tensor add(const Tensor& a, const Tensor& b) {
    require(a.shape == b.shape, "add: both sides need the same shape");
    Tape& tape = *a.tape;
    const Tensor y = tape.tensor(a.shape);
    kernels().add(y.value, a.value, b.value, y.size());

    tape.record("add", {y}, [=](Tape& t) {
        const Real* dy = t.gradient(y);
        if (const Sum db = t.into(b)) kernels().accumulate(db, dy, b.size());
        if (const Sum da = t.into(a)) kernels().accumulate(da, dy, a.size());
    });
    return y;
}

}  // namespace zhuyi
