#include "film/page_data.h"

#include <doctest/doctest.h>

#include "base/random.h"
#include "support/close.h"

using namespace zhuyi;

TEST_CASE("plane: points along two known directions") {
    // Wide along (3, 4, 0) / 5, less so along (0, 0, 1), not at all elsewhere.
    List<List<double>> points;
    for (int i = -4; i <= 4; ++i)
        for (int k : {-1, 1}) points.push_back({1 + 3.0 * i, 2 + 4.0 * i, 5 + 0.5 * k});
    const Plane plane = principal_plane(points);
    CHECK(close(plane.axis[0][0], 0.6, 1e-9));
    CHECK(close(plane.axis[0][1], 0.8, 1e-9));
    CHECK(close(plane.axis[1][2], 1, 1e-9));
    CHECK(close(plane.share[0] + plane.share[1], 1, 1e-12));
    CHECK(plane.share[0] > 0.9);
    const auto place = plane.place_of({1 + 3, 2 + 4, 5});
    CHECK(close(place[0], 5, 1e-9));
    CHECK(close(place[1], 0, 1e-9));
}

TEST_CASE("plane: axes of any cloud are perpendicular and of length 1") {
    const Random random(1, Stream::batches, 0);
    List<List<double>> points;
    for (Index p = 0; p < 30; ++p) {
        List<double> point;
        for (Index c = 0; c < 12; ++c) point.push_back(random.normal(p * 12 + c));
        points.push_back(point);
    }
    const Plane plane = principal_plane(points);
    double across = 0, one = 0;
    for (std::size_t i = 0; i < 12; ++i) {
        across += plane.axis[0][i] * plane.axis[1][i];
        one += plane.axis[1][i] * plane.axis[1][i];
    }
    CHECK(close(across, 0, 1e-9));
    CHECK(close(one, 1, 1e-9));
    CHECK(plane.share[0] >= plane.share[1]);
}

TEST_CASE("plane: one point, or all in the same place, is a map too") {
    const Plane plane = principal_plane({{1, 2}, {1, 2}});
    CHECK(plane.share[0] == 0);
    CHECK(plane.place_of({1, 2})[0] == 0);
}
