// Points of many dimensions on a flat map (principal component analysis, Pearson 1901).
#pragma once
#include <array>
#include <vector>

#include "base/real.h"

namespace zhuyi {

// The plane on which the points differ most: their mean, and two directions at right angles, both
// of length 1. Its signs are fixed (each direction's largest element is positive), so the same
// points give the same map.
struct Plane {
    std::vector<double> middle;
    std::array<std::vector<double>, 2> axis;
    std::array<double, 2> share{};  // of the points' variance that lies along each axis

    std::array<double, 2> place_of(const std::vector<double>& point) const;
};

// points: (n, C), each of the same length; n is at least 1.
Plane principal_plane(const std::vector<std::vector<double>>& points);

}  // namespace zhuyi
