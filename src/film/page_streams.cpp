#include "film/page_streams.h"

#include <algorithm>
#include <set>

#include "film/projection.h"
#include "film/stream_list.h"
#include "formats/base64.h"

namespace zhuyi {
namespace {

Json array_of(const HistoryStream& stream, std::string_view scales, std::string_view levels) {
    Json array;
    array.set("type", stream.element).set("scale", stream.scale).set("data", base64(levels));
    return stream.group ? array.set("group", stream.group).set("scales", base64(scales)) : array;
}

// A stream as it was recorded, frame after frame; and its numbers.
Json over(const History& history, const Frames& frames, const std::string& name) {
    std::string scales, levels;
    for (const Frame* frame : frames) {
        const HistoryNumbers numbers = history.numbers(*frame, name);
        scales += numbers.scales();
        levels += numbers.levels();
    }
    return array_of(*history.stream(name), scales, levels);
}
std::vector<double> values(const History& history, const Frames& frames, const std::string& name) {
    std::vector<double> all;
    for (const Frame* frame : frames) {
        const std::vector<double> now = history.numbers(*frame, name).as<double>();
        all.insert(all.end(), now.begin(), now.end());
    }
    return all;
}

// If frames are left out, what counts from frame to frame is added up over the frames left out.
Json summed(const History& history, const Frames& frames, const std::string& name) {
    std::vector<double> all;
    std::vector<double> sum;
    std::size_t next = 0;
    for (const Frame& frame : history.frames) {
        const HistoryNumbers numbers = history.numbers(frame, name);
        sum.resize(numbers.size());
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += numbers[i];
        if (next == frames.size() || frames[next] != &frame) continue;
        ++next;
        all.insert(all.end(), sum.begin(), sum.end());
        std::fill(sum.begin(), sum.end(), 0.0);
    }
    return packed(all);
}

}  // namespace

Json packed(const std::vector<double>& values, const char* element, double scale, Index group) {
    const HistoryStream stream{"", element, {std::ssize(values)}, 1, {}, scale, group};
    const std::string data = stream.encoded(values);
    const HistoryNumbers numbers(stream, data);
    return array_of(stream, numbers.scales(), numbers.levels());
}

bool follows(const History& history) {
    return history.stream("watched.start") && history.stream("watched.moved");
}

Json streams_data(const History& history, const Frames& frames, bool fine) {
    Json streams;
    for (const HistoryStream& stream : stream_list(recorded_in(history), {})) {
        const std::string& name = stream.name;
        const auto is = [&](const char* other) { return name == other; };
        if (stream.every != 1 || !history.stream(name) || is("watched.moved") || is("sample"))
            continue;  // in components_data and matrices_data, or as text
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
    const Index n = follows(history) ? std::ssize(history.watched) : 0;
    std::vector<std::vector<double>> last;
    for (Index i = 0; i < n; ++i) last.push_back(history.embedding(*frames.back(), i));
    Json data;
    if (last.empty()) return data.set("places", packed(std::vector<double>{}));
    const Plane plane = principal_plane(last);
    std::vector<double> places;
    for (const Frame* frame : frames)
        for (Index i = 0; i < n; ++i)
            for (double x : plane.place_of(history.embedding(*frame, i))) places.push_back(x);
    data.set("places", packed(places));
    return data.set("share", Json::Array{plane.share[0], plane.share[1]});
}

Json components_data(const History& history, const Frames& frames) {
    const HistoryNumbers first = history.numbers(history.start, "watched.start");
    const std::size_t n = history.watched.size(), C = first.size() / std::max<std::size_t>(n, 1);
    const bool all = frames.size() * n * C <= 2'000'000;
    std::set<Token> shown;
    for (const auto& tokens : history.sentences) shown.insert(tokens.begin(), tokens.end());
    std::vector<Index> places;
    for (std::size_t i = 0; i < n; ++i)
        if (all || shown.contains(history.watched[i])) places.push_back(Index(i));
    std::vector<double> start, moved;
    for (const Index i : places)
        for (std::size_t c = 0; c < C; ++c) start.push_back(first[std::size_t(i) * C + c]);
    for (const Frame* frame : frames) {
        const HistoryNumbers now = history.numbers(*frame, "watched.moved");
        for (const Index i : places)
            for (std::size_t c = 0; c < C; ++c) moved.push_back(now[std::size_t(i) * C + c]);
    }
    Json components;
    components.set("places", listed(places)).set("start", packed(start));
    return components.set("moved", packed(moved, "i8", 1, Index(C)));
}

Json matrices_data(const History& history, const Frames& frames, std::size_t most) {
    const std::vector<std::string> rows = recorded_matrices(history);
    std::vector<Index> with, shown;
    for (std::size_t f = 0; f < frames.size(); ++f)
        if (!rows.empty() && history.carries(*frames[f], matrix_stream(rows[0], "moved")))
            with.push_back(Index(f));
    std::size_t weights = 0;
    for (const std::string& row : rows)
        weights += std::size_t(history.stream(matrix_stream(row, "start"))->size());
    // One of those that fit is the start.
    const std::size_t fit = most * 3 / 4 / std::max<std::size_t>(weights, 1);
    const std::size_t every = fit < 2 ? 1 : (with.size() + fit - 2) / (fit - 1);
    Frames chosen;
    for (std::size_t i = 0; i < with.size(); ++i)
        if (fit >= 2 && (with.size() - 1 - i) % std::max<std::size_t>(every, 1) == 0) {
            shown.push_back(with[i]);
            chosen.push_back(frames[std::size_t(with[i])]);
        }
    Json::Array list;
    for (const std::string& row : rows) {
        if (shown.empty()) break;
        const HistoryStream& stream = *history.stream(matrix_stream(row, "start"));
        const HistoryNumbers first = history.numbers(history.start, stream.name);
        Json matrix;
        matrix.set("name", row).set("rows", stream.shape[0]).set("columns", stream.shape[1]);
        matrix.set("start", packed(first.as<double>(), "i8", 1, stream.size()));
        list.push_back(matrix.set("moved", over(history, chosen, matrix_stream(row, "moved"))));
    }
    Json matrices;
    return matrices.set("frames", listed(shown)).set("list", std::move(list));
}

}  // namespace zhuyi
