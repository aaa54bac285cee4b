#include "ops/rotary.h"

#include "autograd/tape.h"
#include "base/check.h"
#include "base/math.h"
#include "kernels/kernels.h"

namespace zhuyi {

// All in double, and in turns: what is left after whole turns is exact, so that an angle is as good
// at position 100,000 as at 1, to about 1e-10. (In float, as PyTorch models often compute it,
// t · frequency is off by 1e-4 at position 4,096 already.)
double rotary_angle(Index t, Index i, Index D) {
    const double wavelength =
        math::power(10000, double(2 * i) / double(D)) * 6.283185307179586;  // positions a turn
    return double(t) / wavelength;
}

std::vector<Real> rotary_angles(Index T, Index D) {
    std::vector<Real> table(std::size_t(T * D));
    for (Index t = 0; t < T; ++t)
        for (Index i = 0; i < D / 2; ++i) {
            const double angle = rotary_angle(t, i, D);
            table[std::size_t(t * D + i)] = Real(math::cos_turns(angle));
            table[std::size_t(t * D + D / 2 + i)] = Real(math::sin_turns(angle));
        }
    return table;
}

// With a = x[i], b = x[i + D/2], c = cos θ, s = sin θ, θ the angle of pair i at the row's position:
//
//     y[i] = a c - b s        y[i + D/2] = a s + b c
//
// A turn of both keeps lengths, and q · k depends on their distance alone: turned by θ_t and θ_s,
// the two enclose their own angle plus θ_t - θ_s, and θ is proportional to the position.
//
// Backward is the turn back, by -θ (the transpose of a rotation is its inverse):
//
//     da += dy[i] c + dy[i + D/2] s        db += dy[i + D/2] c - dy[i] s
Tensor rotary(const Tensor& x, const Tensor& angles, Index heads, Index first) {
    const Index T = x.shape[1], D = x.columns() / heads;
    require(D * heads == x.columns() && D % 2 == 0 && angles.columns() == D,
            "rotary: heads divide the channels, and each has an even number of them");
    if (first + T > angles.rows())
        fail({"rotary: positions %td to %td, but the model has %td",
              "rotary：位置 %td 到 %td 超出了模型的 %td 个位置"},
             first, first + T - 1, angles.rows());
    Tape& tape = *x.tape;
    const Tensor y = tape.tensor(x.shape);
    const Real* own = angles.value + first * D;
    kernels().rotary({y.value}, x.value, own, x.rows(), T, heads, D, Turn::forth);

    tape.record("rotary", {y}, [=](Tape& t) {
        if (const Destination dx = t.into(x))
            kernels().rotary(dx, t.gradient(y), own, x.rows(), T, heads, D, Turn::back);
    });
    return y;
}

}  // namespace zhuyi
