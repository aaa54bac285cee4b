#include "explain/pass.h"

#include <algorithm>
#include <cmath>

namespace zhuyi {
constexpr double kOrthogonal = 1e-12;  // cosine of two rows below which they count as orthogonal
constexpr int kMostSweeps = 60;

// Rows p and q become c p - s q and s p + c q.
static void rotate(Grid& x, Index p, Index q, double c, double s) {
    for (Index k = 0; k < x.columns; ++k) {
        const double a = x.at(p, k), b = x.at(q, k);
        x.at(p, k) = c * a - s * b;
        x.at(q, k) = s * a + c * b;
    }
}

// Rotates every pair of rows of X once, in their plane, so that they become orthogonal, and the
// rows of Y alike. Returns whether any pair had to be rotated.
static bool sweep(Grid& X, Grid& Y) {
    bool rotated = false;
    for (Index p = 0; p < X.rows; ++p)
        for (Index q = p + 1; q < X.rows; ++q) {
            const double pp = dot(X.row(p), X.row(p)), qq = dot(X.row(q), X.row(q));
            const double pq = dot(X.row(p), X.row(q));
            if (std::abs(pq) <= kOrthogonal * std::sqrt(pp) * std::sqrt(qq)) continue;
            const double cotangent = (qq - pp) / (2 * pq);  // of twice the angle
            const double tangent = std::copysign(1.0, cotangent) /
                                   (std::abs(cotangent) + std::sqrt(1 + cotangent * cotangent));
            const double cosine = 1 / std::sqrt(1 + tangent * tangent);
            rotate(X, p, q, cosine, cosine * tangent);
            rotate(Y, p, q, cosine, cosine * tangent);
            rotated = true;
        }
    return rotated;
}

std::vector<Direction> directions(Grid X, Grid Y) {
    if (X.rows > X.columns) X = transposed(X), Y = transposed(Y);
    for (int i = 0; i < kMostSweeps && sweep(X, Y); ++i) {
    }
    // Now X has the rows σ_i v_iᵀ, and Y the rows u_iᵀ Y.
    std::vector<Direction> all;
    for (Index i = 0; i < X.rows; ++i) {
        const double size = length(X.row(i));
        all.push_back({size, size > 0 ? dot(Y.row(i), X.row(i)) / size : 0});
    }
    std::ranges::sort(all, std::ranges::greater(), &Direction::size);
    return all;
}

}  // namespace zhuyi
