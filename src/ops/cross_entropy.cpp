#include "ops/cross_entropy.h"

#include "autograd/tape.h"
#include "base/check.h"
#include "kernels/kernels.h"

namespace zhuyi {

// For one row z with target y and probabilities p = softmax(z):
//
//     loss = ln Σ_v e^{z_v} - z_y        (shifted by the row's maximum: no exponential overflows)
//     dz  += (p - onehot(y)) dloss / N   (the loss is the mean over N rows)
//
// The probabilities are never kept: max and 1/Σ of each row give them again.
CrossEntropy cross_entropy(const Tensor& logits, std::span<const Token> targets) {
    const Index N = logits.rows(), V = logits.columns();
    require(Index(targets.size()) == N, "cross_entropy: one target for each row of logits");
    for (Token target : targets)
        require(target >= 0 && target < V, "cross_entropy: a target outside the vocabulary");
    Tape& tape = *logits.tape;
    const std::span<const Token> kept = tape.memory().copy(targets);
    const std::span<double> each_row = tape.memory().array<double>(N);
    Real* row_max = tape.memory().array<Real>(N).data();  // (N), as each_row and row_scale
    Real* row_scale = tape.memory().array<Real>(N).data();
    kernels().cross_entropy_forward(each_row.data(), row_max, row_scale, logits.value, kept.data(),
                                    N, V, V);
    double sum = 0;
    for (double loss : each_row) sum += loss;
    const Tensor mean = tape.tensor({1});
    mean.value[0] = Real(sum / double(N));

    tape.record("cross_entropy", {mean}, [=](Tape& t) {
        if (const Destination dlogits = t.into(logits))
            kernels().cross_entropy_backward(dlogits, logits.value, row_max, row_scale, kept.data(),
                                             t.gradient(mean)[0] / Real(N), N, V, V);
    });
    return {mean, each_row};
}

}  // namespace zhuyi
