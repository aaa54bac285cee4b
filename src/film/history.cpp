#include "film/history.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/check.h"
#include "base/format.h"
#include "base/hash.h"
#include "formats/bytes.h"
#include "system/input_file.h"

namespace zhuyi {
namespace {

template <class Level>
void put(ByteWriter& out, const std::vector<Scaled<Level>>& grids) {
    out.number(std::uint32_t(grids.size()));
    for (const Scaled<Level>& grid : grids) {
        out.number(grid.scale);
        out.numbers(grid.levels);
    }
}

template <class Level>
std::vector<Scaled<Level>> take(ByteReader& in) {
    std::vector<Scaled<Level>> grids;
    for (auto left = in.number<std::uint32_t>(); left > 0; --left) {
        const float scale = in.number<float>();
        grids.push_back({scale, in.numbers<Level>()});
    }
    return grids;
}

HistoryStart decoded_start(ByteReader in) {
    HistoryStart start;
    for (Index* size : {&start.layers, &start.heads, &start.channels, &start.block})
        *size = Index(in.number<std::uint32_t>());
    for (auto left = in.number<std::uint32_t>(); left > 0; --left)
        start.probes.push_back(in.numbers<Token>());
    start.watched = in.numbers<Token>();
    start.embeddings = in.numbers<float>();
    start.matrices = take<std::int16_t>(in);
    // Far beyond every model, and small enough that no product of them overflows.
    bool possible = start.layers <= 4096 && start.heads <= 4096;
    for (const auto& probe : start.probes) possible = possible && probe.size() <= 65536;
    require(possible, "the film's start has sizes that no model has");
    return start;
}

Frame decoded_frame(ByteReader in) {
    Frame frame;
    frame.step = Index(in.number<std::uint64_t>());
    ParameterFrame& p = frame.parameters;
    for (auto* numbers : {&p.norm, &p.from_start, &p.ratio, &p.gradient})
        *numbers = in.numbers<float>();
    WatchedFrame& w = frame.watched;
    w.moved = take<std::int16_t>(in);
    w.met = in.numbers<std::uint32_t>();
    w.neighbours = in.numbers<Token>();
    for (auto* numbers : {&w.from_start, &w.from_last, &w.lookup, &w.head, &w.cosine})
        *numbers = in.numbers<float>();
    for (auto left = in.number<std::uint32_t>(); left > 0; --left) {
        ProbeFrame probe;
        probe.attention = in.numbers<std::uint16_t>();
        probe.top = in.numbers<Token>();
        probe.probability = in.numbers<float>();
        frame.probes.push_back(std::move(probe));
    }
    frame.matrices = take<std::int8_t>(in);
    frame.sample = in.text();
    return frame;
}

// Evaluation order of braces is from left to right.
CurvePoint decoded_curve(ByteReader in) {
    return {Index(in.number<std::uint64_t>()), in.number<double>(), in.number<double>(),
            in.number<double>()};
}
EvaluationPoint decoded_evaluation(ByteReader in) {
    return {Index(in.number<std::uint64_t>()), in.number<double>()};
}

// The payload of the whole record at the front of `rest`, or nothing.
struct Found {
    RecordKind kind;
    std::string_view payload;
    std::size_t length;  // of the record
};
std::optional<Found> front_record(std::string_view rest) {
    constexpr std::size_t kHead = 8, kTail = 8;
    if (rest.size() < kHead + kTail) return {};
    ByteReader head(rest);
    const auto kind = head.number<std::uint32_t>();
    const std::size_t length = head.number<std::uint32_t>();
    if (length > rest.size() - kHead - kTail) return {};
    const auto sum = ByteReader(rest.substr(kHead + length)).number<std::uint64_t>();
    if (sum != hash_of(rest.substr(0, kHead + length))) return {};
    return Found{RecordKind(kind), rest.substr(kHead, length), kHead + length + kTail};
}

// The checksum finds accidents; this keeps a file of another maker from being read out of bounds.
void check_sizes(const HistoryStart& start, const Frame& frame) {
    const std::size_t n = start.watched.size(), C = std::size_t(start.channels);
    const WatchedFrame& w = frame.watched;
    bool fits = start.embeddings.size() == n * C && w.moved.size() == n && w.met.size() == n &&
                w.from_start.size() == n && w.from_last.size() == n && w.lookup.size() == n &&
                w.head.size() == n && w.neighbours.size() == n * std::size_t(kNeighbours) &&
                w.cosine.size() == w.neighbours.size() &&
                frame.probes.size() == start.probes.size() &&
                (frame.matrices.empty() || frame.matrices.size() == start.matrices.size());
    for (const auto& moved : w.moved) fits = fits && moved.size() == C;
    for (std::size_t p = 0; fits && p < frame.probes.size(); ++p) {
        const std::size_t T = start.probes[p].size(), top = T * std::size_t(kTopPredictions);
        const ProbeFrame& probe = frame.probes[p];
        fits =
            probe.attention.size() == std::size_t(start.layers * start.heads) * T * (T + 1) / 2 &&
            probe.top.size() == top && probe.probability.size() == top;
    }
    for (std::size_t m = 0; fits && m < frame.matrices.size(); ++m)
        fits = frame.matrices[m].size() == start.matrices[m].size();
    if (!fits)
        fail_english(
            format("the film's frame of step %td has other sizes than its start says", frame.step));
}

void add(History& history, const Found& found) {
    const ByteReader in(found.payload);
    switch (found.kind) {
        case RecordKind::start:
            history.start = decoded_start(in);
            break;
        case RecordKind::frame:
            history.frames.push_back(decoded_frame(in));
            check_sizes(history.start, history.frames.back());
            break;
        case RecordKind::curve:
            history.curve.push_back(decoded_curve(in));
            break;
        case RecordKind::evaluation:
            history.evaluations.push_back(decoded_evaluation(in));
            break;
    }
}

}  // namespace

std::vector<float> ProbeFrame::map(Index layer, Index head, Index heads, Index T) const {
    std::vector<float> weights(std::size_t(T * T));
    auto level = attention.begin() + (layer * heads + head) * (T * (T + 1) / 2);
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s <= t; ++s) weights[std::size_t(t * T + s)] = float(*level++) / 65535.0f;
    return weights;
}

const Frame& History::frame_at(Index step) const {
    std::string steps;
    for (const Frame& frame : frames) {
        if (frame.step == step) return frame;
        steps += (steps.empty() ? "" : ", ") + std::to_string(frame.step);
    }
    fail_usage_english(format("step %td is not in the film; recorded are the steps ", step) +
                       steps);
}

Index History::place_of(Token token) const {
    const auto found = std::find(start.watched.begin(), start.watched.end(), token);
    return found == start.watched.end() ? -1 : found - start.watched.begin();
}

std::vector<double> History::embedding(const Frame& frame, Index place) const {
    const Scaled<std::int16_t>& moved = frame.watched.moved[std::size_t(place)];
    std::vector<double> now(moved.size());
    for (std::size_t c = 0; c < now.size(); ++c)
        now[c] = double(start.embeddings[std::size_t(place) * now.size() + c]) + moved[c];
    return now;
}

std::string encoded(const HistoryStart& start) {
    ByteWriter out;
    for (Index size : {start.layers, start.heads, start.channels, start.block})
        out.number(std::uint32_t(size));
    out.number(std::uint32_t(start.probes.size()));
    for (const auto& probe : start.probes) out.numbers(probe);
    out.numbers(start.watched);
    out.numbers(start.embeddings);
    put(out, start.matrices);
    return out.bytes();
}

std::string encoded(const Frame& frame) {
    ByteWriter out;
    out.number(std::uint64_t(frame.step));
    const ParameterFrame& p = frame.parameters;
    for (const auto* numbers : {&p.norm, &p.from_start, &p.ratio, &p.gradient})
        out.numbers(*numbers);
    const WatchedFrame& w = frame.watched;
    put(out, w.moved);
    out.numbers(w.met);
    out.numbers(w.neighbours);
    for (const auto* numbers : {&w.from_start, &w.from_last, &w.lookup, &w.head, &w.cosine})
        out.numbers(*numbers);
    out.number(std::uint32_t(frame.probes.size()));
    for (const ProbeFrame& probe : frame.probes) {
        out.numbers(probe.attention);
        out.numbers(probe.top);
        out.numbers(probe.probability);
    }
    put(out, frame.matrices);
    out.text(frame.sample);
    return out.bytes();
}

std::string encoded(const CurvePoint& point) {
    ByteWriter out;
    out.number(std::uint64_t(point.step));
    for (double number : {point.loss, point.learning_rate, point.gradient_norm}) out.number(number);
    return out.bytes();
}

std::string encoded(const EvaluationPoint& point) {
    ByteWriter out;
    out.number(std::uint64_t(point.step));
    out.number(point.loss);
    return out.bytes();
}

std::string record(RecordKind kind, std::string_view payload) {
    ByteWriter out;
    out.number(std::uint32_t(kind));
    out.text(payload);  // its length, then itself
    out.number(hash_of(out.bytes()));
    return out.bytes();
}

History parse_history(std::string_view bytes, const std::string& origin) {
    if (!bytes.starts_with(kHistoryMagic))
        fail_english(origin + ": no film of a run (it does not begin with \"zhuyi history 1\")");
    History history;
    std::string_view rest = bytes.substr(kHistoryMagic.size());
    bool started = false;
    while (const std::optional<Found> found = front_record(rest)) {
        if (!started && found->kind != RecordKind::start) break;
        if (started && found->kind == RecordKind::start)
            fail_english(origin + ": the film begins twice; it is damaged");
        started = true;
        add(history, *found);
        rest.remove_prefix(found->length);
    }
    if (!started) fail_english(origin + ": the film ends before it begins; train on, or anew");
    history.dropped = Index(rest.size());
    return history;
}

namespace {

void check_tokens(const History& film, Index vocabulary, const std::string& path) {
    // -1 stands where there are fewer neighbours than places for them.
    const auto check = [&](const std::vector<Token>& tokens, Token least) {
        for (const Token token : tokens)
            if (token < least || token >= vocabulary)
                fail_english(
                    format("%s: expected tokens of this run's vocabulary, found %d of %td. The "
                           "film belongs to another run; put the right one back.",
                           path.c_str(), token, vocabulary));
    };
    check(film.start.watched, 0);
    for (const auto& probe : film.start.probes) check(probe, 0);
    for (const Frame& frame : film.frames) {
        check(frame.watched.neighbours, -1);
        for (const ProbeFrame& probe : frame.probes) check(probe.top, 0);
    }
}

}  // namespace

History read_history(const std::string& path, Index vocabulary) {
    if (!std::filesystem::exists(path))
        fail_english(path +
                     ": this run has no film. `zhuyi train` records one unless history = off.");
    History film = parse_history(read_file(path), path);
    if (film.frames.empty())
        fail_english(path + ": the film has no frame yet. Train on: zhuyi train --resume");
    check_tokens(film, vocabulary, path);
    return film;
}

}  // namespace zhuyi
