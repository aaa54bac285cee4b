// What moves the weights, in plain loops: the gradient's norm, AdamW, Muon.
#include <algorithm>
#include <cmath>

#include "support/reference_parts.h"

namespace zhuyi::reference {

double sum_of_squares(const Real* x, Index count, Workspace&) {
    double sum = 0;
    for (Index i = 0; i < count; ++i) sum += double(x[i]) * x[i];
    return sum;
}

void adamw(Real* weights, const Real* gradients, Real* m, Real* v, Index count,
           const AdamWStep& s) {
    double power1 = 1, power2 = 1;  // beta^step
    for (Index i = 0; i < s.step; ++i) power1 *= s.beta1, power2 *= s.beta2;
    for (Index i = 0; i < count; ++i) {
        const double g = s.gradient_scale * gradients[i];
        const double mean = s.beta1 * m[i] + (1 - s.beta1) * g;
        const double square = s.beta2 * v[i] + (1 - s.beta2) * g * g;
        const double direction =
            mean / (1 - power1) / (std::sqrt(square / (1 - power2)) + s.epsilon);
        weights[i] =
            Real(weights[i] * (1 - s.learning_rate * s.weight_decay) - s.learning_rate * direction);
        m[i] = Real(mean), v[i] = Real(square);
    }
}

// Muon's momentum with Nesterov's look ahead: m = μ m + (1 - μ) s g,  u = μ m + (1 - μ) s g
void momentum(Real* u, Real* m, const Real* gradients, Index count, double mu, double s) {
    for (Index i = 0; i < count; ++i) {
        const double g = (1 - mu) * s * gradients[i], mean = mu * m[i] + g;
        m[i] = Real(mean), u[i] = Real(mu * mean + g);
    }
}

// The plain form: X ← a X + b (X Xᵀ) X + c (X Xᵀ)² X, three times, on the whole matrix
// (coefficients: kernels/orthogonal.h).
void orthogonalise(Real* y, const Real* x, Index rows, Index columns, Real*) {
    const auto product = [](const Numbers& a, const Numbers& b, Index M, Index K, Index N) {
        Numbers c = zeros(M * N);
        for (Index i = 0; i < M; ++i)
            for (Index k = 0; k < K; ++k)
                for (Index j = 0; j < N; ++j) c[i * N + j] += a[i * K + k] * b[k * N + j];
        return c;
    };
    Numbers X(x, x + rows * columns);
    double most = 0;
    for (double& number : X) most = std::max(most, std::fabs(number));
    if (most == 0) return void(std::fill_n(y, rows * columns, Real(0)));
    const auto gram = [&] {
        Numbers transposed = zeros(X.count());
        for (Index i = 0; i < rows; ++i)
            for (Index j = 0; j < columns; ++j) transposed[j * rows + i] = X[i * columns + j];
        return product(X, transposed, rows, columns, rows);
    };
    for (double& number : X) number /= most;
    double squares = 0;
    for (double number : gram()) squares += number * number;
    for (double& number : X) number /= std::sqrt(1.02 * std::sqrt(squares));
    constexpr double kPolynomials[3][3] = {{7.8327090, -21.4357903, 15.1063201},
                                           {3.5821168, -2.5766242, 0.4872445},
                                           {2.7044521, -2.0123759, 0.4565303}};
    for (const auto& [a, b, c] : kPolynomials) {
        const Numbers G = gram(), GX = product(G, X, rows, rows, columns);
        const Numbers GGX = product(G, GX, rows, rows, columns);
        for (Index i = 0; i < X.count(); ++i) X[i] = a * X[i] + b * GX[i] + c * GGX[i];
    }
    std::transform(X.begin(), X.end(), y, [](double number) { return Real(number); });
}

// The plain form needs no memory from its caller.
Index orthogonalise_numbers(Index, Index) { return 0; }

// Muon's last step: w = keep w - rate y
void descend(Real* w, const Real* y, Index count, double keep, double rate) {
    for (Index i = 0; i < count; ++i) w[i] = Real(keep * w[i] - rate * y[i]);
}

}  // namespace zhuyi::reference
