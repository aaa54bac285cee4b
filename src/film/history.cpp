#include "film/history.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/check.h"
#include "base/format.h"
#include "base/hash.h"
#include "film/stream_list.h"
#include "formats/bytes.h"
#include "system/append_file.h"
#include "system/input_file.h"

namespace zhuyi {
// ---- what is written

static void put_data(ByteWriter& out, const Frame& frame) {
    for (std::size_t i = 0; i < frame.data.size(); ++i) {
        if (frame.data[i].empty()) continue;
        out.number(std::uint32_t(i));
        out.text(frame.data[i]);
    }
}

static void take_data(ByteReader& in, const std::vector<HistoryStream>& streams, Frame& frame) {
    frame.data.resize(streams.size());
    while (!in.at_end()) {
        const std::size_t i = in.number<std::uint32_t>();
        std::string data = in.text();
        if (i >= streams.size() || (streams[i].readable() && !streams[i].fits(data.size())))
            fail({"the history's frame of step %td holds other data than its start announces",
                  "训练回放第 %td 步的数据与开头所说的不符"},
                 frame.step);
        frame.data[i] = std::move(data);
    }
}

static void take_start(ByteReader in, History& history) {
    history.start.step = in.number<Index>();
    for (auto left = in.number<std::uint32_t>(); left > 0; --left) {
        History::Row row{in.text(), in.numbers<Index>()};
        history.parameters.push_back(std::move(row));
    }
    for (auto left = in.number<std::uint32_t>(); left > 0; --left) {
        HistoryStream stream{in.text(), in.text(), in.numbers<Index>()};
        stream.every = Index(in.number<std::uint32_t>());
        stream.steps = in.numbers<Index>();
        stream.scale = in.number<double>();
        stream.group = Index(in.number<std::uint32_t>());
        if (stream.readable()) stream.size();  // Error if no memory could hold it
        history.streams.push_back(std::move(stream));
    }
    take_data(in, history.streams, history.start);
}

constexpr std::size_t kHead = 8,
                      kTail = 8;  // bytes of a record before its payload and after it

// Returns the kind and the payload of the record at the front of `rest`, or nothing if no whole
// record stands there.
static std::optional<std::pair<RecordKind, std::string_view>> front_record(std::string_view rest) {
    if (rest.size() < kHead + kTail) return {};
    ByteReader head(rest);
    const auto kind = head.number<std::uint32_t>();
    const std::size_t length = head.number<std::uint32_t>();
    if (length > rest.size() - kHead - kTail) return {};
    const auto sum = ByteReader(rest.substr(kHead + length)).number<std::uint64_t>();
    if (sum != hash_of(rest.substr(0, kHead + length))) return {};
    return std::pair(RecordKind(kind), rest.substr(kHead, length));
}

static void add(History& history, RecordKind kind, ByteReader in) {
    switch (kind) {
        case RecordKind::start:
            take_start(in, history);
            return complete(history);
        case RecordKind::frame:
            history.frames.push_back({in.number<Index>(), {}});
            return take_data(in, history.streams, history.frames.back());
        case RecordKind::curve:
            return history.curve.push_back(in.number<CurvePoint>());
        case RecordKind::evaluation:
            return history.evaluations.push_back(in.number<EvaluationPoint>());
        case RecordKind::documents:
            return history.documents.push_back(in.number<EvaluationPoint>());
    }
}

static void check_tokens(const History& history, Index vocabulary, const std::string& path) {
    const auto check = [&](const std::vector<Token>& tokens, Token least) {
        for (const Token token : tokens)
            if (token < least || token >= vocabulary)
                fail({"%s: expected tokens of this training's vocabulary, found %d of %td. The "
                      "history belongs to another training; put the right one back.",
                      "%s：其中的 token 应属于这次训练的词表，却发现编号 %d（词表大小 %td）。"
                      "这是另一次训练的回放；请放回原来的文件。"},
                     path, token, vocabulary);
    };
    check(history.watched, 0);
    for (const auto& sentence : history.sentences) check(sentence, 0);
    for (const Frame& frame : history.frames) {
        const auto check_stream = [&](const std::string& name, Token least) {
            if (history.carries(frame, name))
                check(history.numbers(frame, name).as<Token>(), least);
        };
        check_stream("watched.neighbours", -1);  // -1 where there are fewer
        for (std::size_t s = 0; s < history.sentences.size(); ++s)
            check_stream(sentence_stream(s, "top"), -1);
    }
}

std::string History::summary() const {
    std::string text = say({"%zu frames, up to step %td", "%zu 帧，到第 %td 步"}, frames.size(),
                           frames.empty() ? start.step : frames.back().step);
    if (start.step > 0) text += say({", from step %td on", "，从第 %td 步开始"}, start.step);
    for (const std::string& name : absent) text += say({"; without %s", "；没有 %s"}, name);
    return text;
}

const HistoryStream* History::stream(std::string_view name) const {
    for (const HistoryStream& stream : streams)
        if (stream.name == name && stream.readable()) return &stream;
    return nullptr;
}

bool History::carries(const Frame& frame, std::string_view name) const {
    const HistoryStream* found = stream(name);
    return found && !frame.data[std::size_t(found - streams.data())].empty();
}

HistoryNumbers History::numbers(const Frame& frame, std::string_view name) const {
    const HistoryStream* found = stream(name);
    const std::string nothing;
    const std::string& data = found ? frame.data[std::size_t(found - streams.data())] : nothing;
    if (!found || !found->fits(data.size()))
        fail({"the history has no %s at step %td; it was recorded without",
              "训练回放在第 %2$td 步没有 %1$s；训练时没有记录"},
             name, frame.step);
    return {*found, data};
}

const Frame& History::frame_at(Index step) const {
    const auto found = std::ranges::find(frames, step, &Frame::step);
    if (found != frames.end()) return *found;
    fail_usage({"step %td was not recorded; recorded are the steps %s",
                "没有记录第 %td 步；记录了这些步：%s"},
               step, joined(frames, ", ", [](const Frame& f) { return std::to_string(f.step); }));
}

Index History::place_of(Token token) const {
    const auto found = std::ranges::find(watched, token);
    return found == watched.end() ? -1 : found - watched.begin();
}

List<double> History::embedding(const Frame& frame, Index place) const {
    const HistoryNumbers first = numbers(start, "watched.start"),
                         moved = numbers(frame, "watched.moved");
    List<double> now(first.size() / std::max<std::size_t>(watched.size(), 1));
    const Index C = now.count();
    for (Index c = 0; c < C; ++c) now[c] = first[place * C + c] + moved[place * C + c];
    return now;
}

List<float> History::map(const Frame& frame, std::size_t sentence, Index block, Index head) const {
    const std::string name = sentence_stream(sentence, "attention");
    const HistoryNumbers weights = numbers(frame, name);
    const Index heads = stream(name)->shape[1], T = std::ssize(sentences[sentence]);
    List<float> map(std::size_t(T * T));
    Index from = (block * heads + head) * (T * (T + 1) / 2);
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s <= t; ++s) map[t * T + s] = float(weights[from++]);
    return map;
}

std::string start_record(const History& history) {
    ByteWriter out;
    out.number(history.start.step);
    out.number(std::uint32_t(history.parameters.size()));
    for (const History::Row& row : history.parameters) {
        out.text(row.name);
        out.numbers(row.shape);
    }
    out.number(std::uint32_t(history.streams.size()));
    for (const HistoryStream& stream : history.streams) {
        out.text(stream.name);
        out.text(stream.element);
        out.numbers(stream.shape);
        out.number(std::uint32_t(stream.every));
        out.numbers(stream.steps);
        out.number(stream.scale);
        out.number(std::uint32_t(stream.group));
    }
    put_data(out, history.start);
    return record(RecordKind::start, out.bytes());
}

std::string record(const Frame& frame) {
    ByteWriter out;
    out.number(frame.step);
    put_data(out, frame);
    return record(RecordKind::frame, out.bytes());
}

std::string record(const CurvePoint& point) {
    return record(RecordKind::curve, {reinterpret_cast<const char*>(&point), sizeof point});
}
std::string record(RecordKind kind, const EvaluationPoint& point) {
    return record(kind, {reinterpret_cast<const char*>(&point), sizeof point});
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
        fail({"%s: no history of a training that this zhuyi reads (it does not begin with "
              "\"zhuyi history 2\"); `zhuyi train --resume` sets it aside and begins a new one",
              "%s：不是这个 zhuyi 能读的训练回放（开头不是“zhuyi history 2”）；"
              "`zhuyi train --resume` 会把它移到一边，另写一个新的"},
             origin);
    History history;
    std::string_view rest = bytes.substr(kHistoryMagic.size());
    bool started = false;
    while (const auto found = front_record(rest)) {
        const auto [kind, payload] = *found;
        const bool start = kind == RecordKind::start;
        if (!started && !start) break;
        if (started && start)
            fail({"%s: the history begins twice; it is damaged",
                  "%s：训练回放有两个开头；文件已损坏"},
                 origin);
        add(history, kind, ByteReader(payload));
        started = true;
        rest.remove_prefix(kHead + payload.size() + kTail);
    }
    if (!started)
        fail({"%s: the history ends before it begins; train on, or anew",
              "%s：训练回放还没有开头就结束了；请继续训练，或重新训练"},
             origin);
    history.dropped = Index(rest.size());
    return history;
}

History read_history(const std::string& path, Index vocabulary) {
    if (!std::filesystem::exists(path))
        fail({"%s: this training has no history. `zhuyi train` records one unless history = off.",
              "%s：这次训练没有回放。`zhuyi train` 会记录，除非 history = off。"},
             path);
    History history = parse_history(read_file(path), path);
    if (history.frames.empty())
        fail({"%s: the history has no frame yet. Train on: zhuyi train --resume",
              "%s：训练回放还没有一帧。请继续训练：zhuyi train --resume"},
             path);
    check_tokens(history, vocabulary, path);
    return history;
}

History verify_history(const std::string& path, const std::string& state) {
    const std::string bytes = read_file(path);
    std::string_view whole;
    try {
        whole = bytes_at(state, bytes, path);
    } catch (const Error&) {
        fail({"%s is not the history that this checkpoint belongs to",
              "%s 不是这个检查点所属训练的回放"},
             path);
    }
    History history = parse_history(whole, path);
    for (std::size_t i = 1; i < history.frames.size(); ++i)
        if (history.frames[i].step <= history.frames[i - 1].step)
            fail({"%s: after the frame of step %td comes one of step %td",
                  "%s：第 %td 步那一帧之后又是第 %td 步"},
                 path, history.frames[i - 1].step, history.frames[i].step);
    return history;
}

}  // namespace zhuyi
