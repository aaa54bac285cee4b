// Layer normalisation (Ba, Kiros, Hinton 2016) of rows: x̂ = (x - mean) rstd, y = gamma x̂ + beta.
#pragma once
#include "kernels/kernels.h"
#include "kernels/loops.h"

namespace zhuyi::ZHUYI_INSTRUCTION_SET {
namespace {

constexpr double kLayerNormEpsilon = 1e-5;

// Reads a row, which is in the first-level cache, twice: the mean, then the squares of the
// distances from it. The one-pass formula E x² - (E x)² would lose the variance of a row whose mean
// is large.
inline void layer_norm_forward(Real* y, Real* mean, Real* rstd, const Real* x, const Real* gamma,
                               const Real* beta, Index N, Index C) {
    for_rows(N, C, 1, [=](Index r) {
        const Real* row = x + r * C;
        Lanes total = all(0);
        for_lanes(C, [&](Index c, auto part) { total = total + load(row + c, part); });
        const Real m = sum(total) / Real(C);
        Lanes squares = all(0);
        for_lanes(C, [&](Index c, auto part) {
            const Lanes distance = choose(load(row + c, part) - all(m), all(0), part);
            squares = fma(distance, distance, squares);
        });
        const Real variance = sum(squares) / Real(C) + Real(kLayerNormEpsilon);
        const Real s = sizeof(Real) == 4 ? Real(1 / __builtin_sqrtf(float(variance)))
                                         : Real(1 / __builtin_sqrt(double(variance)));
        mean[r] = m, rstd[r] = s;
        for_lanes(C, [&](Index c, auto part) {
            const Lanes normal = (load(row + c, part) - all(m)) * all(s);
            store(y + r * C + c, fma(normal, load(gamma + c, part), load(beta + c, part)), part);
        });
    });
}

// With g = dy · gamma:  dx = rstd (g - mean(g) - x̂ mean(g x̂)),
// dgamma = Σ_r dy x̂,  dbeta = Σ_r dy.
//
// dgamma and dbeta are sums over rows: every 32 rows fill a pair of partial rows, and these are
// then added in order, each column by one owner. So the rows can be shared out among threads and
// the sum stays one sum.
inline void layer_norm_backward(Destination dx, Destination dgamma, Destination dbeta,
                                const Real* dy, const Real* x, const Real* mean, const Real* rstd,
                                const Real* gamma, Index N, Index C, Workspace& workspace) {
    constexpr Index kGroup = 32;
    const Index groups = (N + kGroup - 1) / kGroup;
    const bool parameters = dgamma || dbeta;
    Real* partial = parameters ? workspace.shared(groups * 2 * C) : nullptr;

    parallel_for(groups, 2 * double(kGroup * C), [=](Index group) {
        const Index first = group * kGroup, end = smaller_of(N, first + kGroup);
        for (Index r = first; r < end; ++r) {
            const Lanes m = all(mean[r]), s = all(rstd[r]);
            const auto normal = [=](Index c, auto part) {
                return (load(x + r * C + c, part) - m) * s;
            };
            Lanes sum_g = all(0), sum_gx = all(0);
            for_lanes(C, [&](Index c, auto part) {
                const Lanes d = load(dy + r * C + c, part), x_hat = normal(c, part);
                const Lanes g = d * load(gamma + c, part);
                sum_g = sum_g + g;
                sum_gx = fma(g, x_hat, sum_gx);
                if (parameters) {
                    put({partial + group * 2 * C, r > first}, c, d * x_hat, part);
                    put({partial + group * 2 * C + C, r > first}, c, d, part);
                }
            });
            if (!dx) continue;
            const Lanes mean_g = all(sum(sum_g) / Real(C)), mean_gx = all(sum(sum_gx) / Real(C));
            for_lanes(C, [&](Index c, auto part) {
                const Lanes g = load(dy + r * C + c, part) * load(gamma + c, part);
                put(dx, r * C + c, s * fma_minus(normal(c, part), mean_gx, g - mean_g), part);
            });
        }
    });

    const auto join = [=](Destination to, const Real* rows) {
        if (!to) return;
        for_lanes(C, [&](Index c, auto part) {
            Lanes total = to.add ? load(to.data + c, part) : all(0);
            for (Index group = 0; group < groups; ++group)
                total = total + load(rows + group * 2 * C + c, part);
            store(to.data + c, total, part);
        });
    };
    join(dgamma, partial);
    join(dbeta, partial + C);
}

}  // namespace
}  // namespace zhuyi::ZHUYI_INSTRUCTION_SET
