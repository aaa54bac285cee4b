#include "film/projection.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace zhuyi {
namespace {

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

void scale_to_one(Vector& x) {
    const double length = std::sqrt(dot(x, x));
    if (length > 0)
        for (double& element : x) element /= length;
}

// S x for the scatter matrix S = Σ_p p pᵀ, which is never written down: Σ_p (p · x) p.
Vector scattered(const std::vector<Vector>& points, const Vector& x) {
    Vector sum(x.size());
    for (const Vector& p : points) {
        const double along = dot(p, x);
        for (std::size_t i = 0; i < x.size(); ++i) sum[i] += along * p[i];
    }
    return sum;
}

}  // namespace

std::array<double, 2> Plane::place_of(const Vector& point) const {
    std::array<double, 2> place{};
    for (std::size_t a = 0; a < 2; ++a)
        for (std::size_t i = 0; i < point.size(); ++i)
            place[a] += (point[i] - middle[i]) * axis[a][i];
    return place;
}

// Orthogonal iteration: apply S to two directions, make them perpendicular, again. The error falls
// with the ratio of the eigenvalues; what two hundred rounds leave is far below a pixel.
Plane principal_plane(const std::vector<Vector>& points) {
    require(!points.empty(), {"principal_plane: no points", "principal_plane：没有点"});
    const std::size_t C = points[0].size();
    Plane plane;
    plane.middle.assign(C, 0);
    for (const Vector& p : points)
        for (std::size_t i = 0; i < C; ++i) plane.middle[i] += p[i] / double(points.size());
    std::vector<Vector> centred = points;
    double variance = 0;
    for (Vector& p : centred) {
        for (std::size_t i = 0; i < C; ++i) p[i] -= plane.middle[i];
        variance += dot(p, p);
    }

    Vector x(C), y(C);  // anything that is not by accident at right angles to the answer
    for (std::size_t i = 0; i < C; ++i)
        x[i] = 1 + 0.37 * double(i % 7), y[i] = (i % 2 ? 1 : -1) * (1 + 0.21 * double(i % 5));
    for (int round = 0; round < 200; ++round) {
        x = scattered(centred, x);
        scale_to_one(x);
        y = scattered(centred, y);
        const double along = dot(x, y);
        for (std::size_t i = 0; i < C; ++i) y[i] -= along * x[i];
        scale_to_one(y);
    }
    plane.axis = {x, y};
    for (std::size_t a = 0; a < 2; ++a) {
        Vector& axis = plane.axis[a];
        const auto largest = std::max_element(
            axis.begin(), axis.end(), [](double p, double q) { return std::abs(p) < std::abs(q); });
        if (largest != axis.end() && *largest < 0)
            for (double& element : axis) element = -element;
        plane.share[a] = variance > 0 ? dot(axis, scattered(centred, axis)) / variance : 0;
    }
    return plane;
}

}  // namespace zhuyi
