// Numbers of a history for the page: as they were recorded, or on a flat map.
#include <algorithm>

#include "base/check.h"
#include "base/grid.h"
#include "film/page_data.h"
#include "film/stream_list.h"

namespace zhuyi {
// If frames are left out, what counts from frame to frame is added up over the frames left out.
static Json summed(const History& history, const Frames& frames, const std::string& name) {
    List<double> all, sum;
    std::size_t next = 0;
    for (const Frame& frame : history.frames) {
        const HistoryNumbers numbers = history.numbers(frame, name);
        sum.resize(numbers.size());
        for (Index i = 0; i < sum.count(); ++i) sum[i] += numbers[i];
        if (next == frames.size() || frames[next] != &frame) continue;
        ++next;
        all.insert(all.end(), sum.begin(), sum.end());
        std::fill(sum.begin(), sum.end(), 0.0);
    }
    return packed(all);
}

List<double> values(const History& history, const Frames& frames, const std::string& name) {
    List<double> all;
    for (const Frame* frame : frames) {
        const List<double> now = history.numbers(*frame, name).as<double>();
        all.insert(all.end(), now.begin(), now.end());
    }
    return all;
}

bool follows(const History& history) {
    return history.stream("watched.start") && history.stream("watched.moved");
}

Json streams_data(const History& history, const Frames& frames, bool fine) {
    Json streams;
    for (const HistoryStream& stream : stream_list(recorded_in(history))) {
        const std::string& name = stream.name;
        const auto is = [&](const char* other) { return name == other; };
        if (stream.every != 1 || !history.stream(name) || is("watched.moved") || is("sample"))
            continue;  // in plane_data, or as text
        if (is("watched.met") || is("watched.from_last"))
            streams.set(name, summed(history, frames, name));
        else if (is("watched.cosine"))
            streams.set(name, packed(values(history, frames, name), "i16", 1 / 32767.0));
        else if (name.ends_with(".attention") && !fine)
            streams.set(name, packed(values(history, frames, name), "u8", 1 / 255.0));
        else
            streams.set(name, over(history, frames, name));
    }
    return streams;
}

Json plane_data(const History& history, const Frames& frames) {
    const Index n = follows(history) ? history.watched.count() : 0;
    List<List<double>> last;
    for (Index i = 0; i < n; ++i) last.push_back(history.embedding(*frames.back(), i));
    Json data;
    if (last.empty()) return data.set("places", packed({}));
    const Plane plane = principal_plane(last);
    List<double> places;
    for (const Frame* frame : frames)
        for (Index i = 0; i < n; ++i)
            for (double x : plane.place_of(history.embedding(*frame, i))) places.push_back(x);
    data.set("places", packed(places));
    return data.set("share", Json::Array{plane.share[0], plane.share[1]});
}

static void scale_to_one(Numbers& x) {
    const double size = length(x);
    if (size > 0)
        for (double& element : x) element /= size;
}

// S x for the scatter matrix S = Σ_p p pᵀ, which is never written down: Σ_p (p · x) p.
static Numbers scattered(const List<Numbers>& points, const Numbers& x) {
    Numbers sum(x.size());
    for (const Numbers& p : points) {
        const double along = dot(p, x);
        for (Index i = 0; i < x.count(); ++i) sum[i] += along * p[i];
    }
    return sum;
}

std::array<double, 2> Plane::place_of(const Numbers& point) const {
    std::array<double, 2> place{};
    for (std::size_t a = 0; a < 2; ++a)
        for (Index i = 0; i < point.count(); ++i) place[a] += (point[i] - middle[i]) * axis[a][i];
    return place;
}

// Orthogonal iteration: apply S to two directions, make them perpendicular, again. The error falls
// with the ratio of the eigenvalues; what two hundred rounds leave is far below a pixel.
Plane principal_plane(const List<Numbers>& points) {
    require(!points.empty(), "principal_plane: no points");
    const Index C = points[0].count();
    Plane plane;
    plane.middle.assign(std::size_t(C), 0);
    for (const Numbers& p : points)
        for (Index i = 0; i < C; ++i) plane.middle[i] += p[i] / double(points.size());
    List<Numbers> centred = points;
    double variance = 0;
    for (Numbers& p : centred) {
        for (Index i = 0; i < C; ++i) p[i] -= plane.middle[i];
        variance += dot(p, p);
    }
    Numbers x, y;  // anything that is not by accident at right angles to the answer
    for (Index i = 0; i < C; ++i) {
        x.push_back(1 + 0.37 * double(i % 7));
        y.push_back((i % 2 ? 1 : -1) * (1 + 0.21 * double(i % 5)));
    }
    for (int round = 0; round < 200; ++round) {
        x = scattered(centred, x);
        scale_to_one(x);
        y = scattered(centred, y);
        const double along = dot(x, y);
        for (Index i = 0; i < C; ++i) y[i] -= along * x[i];
        scale_to_one(y);
    }
    plane.axis = {x, y};
    for (std::size_t a = 0; a < 2; ++a) {
        Numbers& axis = plane.axis[a];
        if (C > 0 && axis[largest_absolute(axis)] < 0)
            for (double& element : axis) element = -element;
        plane.share[a] = variance > 0 ? dot(axis, scattered(centred, axis)) / variance : 0;
    }
    return plane;
}

}  // namespace zhuyi
