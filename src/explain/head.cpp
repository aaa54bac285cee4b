#include "explain/head.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "explain/pass.h"
#include "ops/linear.h"

namespace zhuyi {

WorkedHead worked_head(Tape& tape, const Grid& Q, const Grid& K, const Grid& V, const Grid& weights,
                       const Grid& mix, Mask mask, bool shift) {
    const Index T = Q.rows, d_k = Q.columns;
    WorkedHead head{mask, Q, K, V, {}, Grid(T, T), {}, Grid(T, T), {}, weights, mix};
    head.products =
        Grid(unembedding(constant(tape, {T, d_k}, Q.values), constant(tape, {T, d_k}, K.values)));
    for (Index t = 0; t < T; ++t) {
        double top = 0, sum = 0;
        for (Index s = 0; s < T; ++s) {
            head.scaled.at(t, s) = head.products.at(t, s) / std::sqrt(double(d_k));
            if (!head.sees(t, s)) continue;
            top = s == 0 ? head.scaled.at(t, s) : std::max(top, head.scaled.at(t, s));
        }
        head.shifts.push_back(shift ? top : 0);
        for (Index s = 0; s < T; ++s) {
            if (!head.sees(t, s)) continue;
            head.exponentials.at(t, s) = math::exp(head.scaled.at(t, s) - head.shifts.back());
            sum += head.exponentials.at(t, s);
        }
        head.sums.push_back(sum);
    }
    return head;
}

}  // namespace zhuyi
