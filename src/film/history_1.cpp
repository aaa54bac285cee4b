#include "film/history_1.h"

#include <algorithm>

#include "base/check.h"
#include "film/stream_list.h"
#include "model/config.h"
#include "model/parameters.h"

namespace zhuyi {
namespace {

// "numbers" of version 1 as data; of version 1's grids (scale, then numbers) one scale and one
// data.
template <class T>
std::string numbers(ByteReader& in) {
    const std::vector<T> values = in.numbers<T>();
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}
template <class Level>
std::string grids(ByteReader& in, std::uint32_t count) {
    std::string scales, levels;
    for (; count > 0; --count) {
        const float scale = in.number<float>();
        scales.append(reinterpret_cast<const char*>(&scale), sizeof scale);
        levels += numbers<Level>(in);
    }
    return scales + levels;
}

// Streams that came after version 1.
bool is_later(const HistoryStream& stream) {
    constexpr std::string_view kLater[] = {
        "parameter.path", "heads.roles", "sentences.met",        ".next",
        ".rank",          ".followed",   ".followed_probability"};
    return std::ranges::any_of(
        kLater, [&](std::string_view end) { return std::string_view(stream.name).ends_with(end); });
}

void put(const History& history, Frame& frame, const std::string& name, std::string data) {
    const HistoryStream* stream = history.stream(name);
    frame.data.resize(history.streams.size());
    if (!stream || !stream->fits(data.size()))
        fail({"the history's frame of step %td has other sizes than its start says",
              "训练回放第 %td 步的大小与开头所说的不符"},
             frame.step);
    frame.data[std::size_t(stream - history.streams.data())] = std::move(data);
}

}  // namespace

// Version 1 held the matrices of one block in the order of the parameter table, without names.
void take_start_1(ByteReader in, History& history) {
    Recorded r;
    r.parameters = kAnyLength;
    r.blocks = Index(in.number<std::uint32_t>());
    r.heads = Index(in.number<std::uint32_t>());
    r.channels = Index(in.number<std::uint32_t>());
    const auto block = Index(in.number<std::uint32_t>());
    std::vector<std::string> sentences, matrices;
    for (auto left = in.number<std::uint32_t>(); left > 0; --left) {
        sentences.push_back(numbers<Token>(in));
        r.sentences.push_back(std::ssize(sentences.back()) / Index(sizeof(Token)));
    }
    const std::string watched = numbers<Token>(in), embeddings = numbers<float>(in);
    r.watched = std::ssize(watched) / Index(sizeof(Token));
    for (auto left = in.number<std::uint32_t>(); left > 0; --left)
        matrices.push_back(grids<std::int16_t>(in, 1));
    require(r.channels <= 65536, {"the history's start has sizes that no model has",
                                  "训练回放的开头有任何模型都没有的大小"});
    GptConfig model;
    model.layers = 1;
    model.channels = r.channels;
    if (!matrices.empty() && r.channels > 0)
        model.ffn = (std::ssize(matrices.back()) - 4) / 2 / r.channels;
    constexpr std::size_t kBlock = std::string_view("block.0").size();
    for (const Parameter& p : parameter_table(model))
        if (p.block == 0 && p.shape.rank() == 2 && r.matrices.size() < matrices.size())
            r.matrices.push_back(
                {"block." + std::to_string(block) + p.name.substr(kBlock), row_of(p).shape});
    history.streams = stream_list(r, {0});  // it did not say which later frames have matrices
    std::erase_if(history.streams, is_later);
    for (std::size_t s = 0; s < sentences.size(); ++s)
        put(history, history.start, sentence_stream(s), sentences[s]);
    put(history, history.start, "watched", watched);
    put(history, history.start, "watched.start", embeddings);
    const std::vector<std::string> rows = recorded_matrices(history);
    for (std::size_t m = 0; m < matrices.size(); ++m)
        put(history, history.start, matrix_stream(m < rows.size() ? rows[m] : "", "start"),
            matrices[m]);
}

Frame decoded_frame_1(ByteReader in, const History& history) {
    Frame frame;
    frame.step = in.number<Index>();
    const auto add = [&](const std::string& name, std::string data) {
        put(history, frame, name, std::move(data));
    };
    for (const char* name : {"norm", "from_start", "ratio", "gradient"})
        add(std::string("parameter.") + name, numbers<float>(in));
    add("watched.moved", grids<std::int16_t>(in, in.number<std::uint32_t>()));
    add("watched.met", numbers<std::uint32_t>(in));
    add("watched.neighbours", numbers<Token>(in));
    for (const char* name : {"from_start", "from_last", "lookup", "head", "cosine"})
        add(std::string("watched.") + name, numbers<float>(in));
    const auto sentences = in.number<std::uint32_t>();
    for (std::size_t s = 0; s < sentences; ++s) {
        add(sentence_stream(s, "attention"), numbers<std::uint16_t>(in));
        add(sentence_stream(s, "top"), numbers<Token>(in));
        add(sentence_stream(s, "probability"), numbers<float>(in));
    }
    const std::vector<std::string> rows = recorded_matrices(history);
    const auto matrices = in.number<std::uint32_t>();
    for (std::size_t m = 0; m < matrices; ++m)
        add(matrix_stream(m < rows.size() ? rows[m] : "", "moved"), grids<std::int8_t>(in, 1));
    add("sample", in.text());
    return frame;
}

}  // namespace zhuyi
