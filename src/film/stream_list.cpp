#include "film/stream_list.h"

#include "base/check.h"
#include "base/grid.h"
#include "film/history_plan.h"
#include "model/parameters.h"

namespace zhuyi {

std::string sentence_stream(std::size_t sentence, const char* part) {
    return "sentence." + std::to_string(sentence) + (*part ? "." : "") + part;
}

History::Row row_of(const Parameter& parameter) {
    History::Row row{parameter.name, {}};
    for (int axis = 0; axis < parameter.shape.rank(); ++axis)
        row.shape.push_back(parameter.shape[axis]);
    return row;
}

// What is recorded of a watched sentence.
static void add_sentence(std::vector<HistoryStream>& list, std::size_t s, const Recorded& r) {
    constexpr Index kOnce = 0, kAll = 1;
    const Index T = r.sentences[s], top = kTopPredictions;
    list.push_back({sentence_stream(s), "i32", {T}, kOnce});
    // row t of a head holds its t + 1 weights, after row t - 1
    list.push_back({sentence_stream(s, "attention"),
                    "u16",
                    {r.blocks, r.heads, T * (T + 1) / 2},
                    kAll,
                    {},
                    1 / 65535.0});
    // what may follow each position, most likely first
    list.push_back({sentence_stream(s, "top"), "i32", {T, top}});
    list.push_back({sentence_stream(s, "probability"), "f32", {T, top}});
    // of the token that really follows: its probability and its rank from 1; 0 at the end
    list.push_back({sentence_stream(s, "next"), "f32", {T}});
    list.push_back({sentence_stream(s, "rank"), "u32", {T}});
    // the tokens that were ever likeliest (measure.h), and how probable they are now
    list.push_back({sentence_stream(s, "followed"), "i32", {T, kFollowed}});
    list.push_back({sentence_stream(s, "followed_probability"), "f32", {T, kFollowed}});
}

// Which contexts moved E, of a few tokens (pushes.h).
static void add_pushes(std::vector<HistoryStream>& list, const Recorded& r,
                       const std::vector<Index>& steps) {
    const Index W = r.pushed, C = r.channels;
    list.push_back({"pushed", "i32", {W}, 0});  // the tokens
    // kind, token before, token to be predicted (-1: any other), times in the training part
    list.push_back({"pushed.contexts", "i32", {W, kPushPlaces, 4}, 0});
    // what each context has added to E since step 0; then all others, and weight decay
    list.push_back({"pushed.moved", "f32", {W, kPushPlaces + 2, C}, 0, steps});
    list.push_back({"pushed.divisor", "f32", {W, C}, 0, steps});  // √v̂ + ε of the last update
}

std::vector<HistoryStream> stream_list(const Recorded& r, const std::vector<Index>& snapshot_steps,
                                       const std::vector<Index>& push_steps) {
    constexpr Index kOnce = 0, kAll = 1;
    const Index W = r.watched, C = r.channels, K = kNeighbours;
    std::vector<HistoryStream> list{
        // ‖w‖, ‖w - w₀‖, ‖Δw‖ / ‖w‖ of the update that led here, and the gradient's norm before
        // clipping: of every row of the parameter table
        {"parameter.norm", "f32", {r.parameters}},
        {"parameter.from_start", "f32", {r.parameters}},
        {"parameter.ratio", "f32", {r.parameters}},
        {"parameter.gradient", "f32", {r.parameters}},
        // Σ ‖Δw‖ of all updates so far: the length of the path
        {"parameter.path", "f32", {r.parameters}},
        // the watched tokens, E₀ of each, and E - E₀
        {"watched", "i32", {W}, kOnce},
        {"watched.start", "f32", {W, C}, kOnce},
        {"watched.moved", "i16", {W, C}, kAll, {}, 1, C},
        // ‖E - E₀‖, and the distance from the last frame
        {"watched.from_start", "f32", {W}},
        {"watched.from_last", "f32", {W}},
        // times read in the batches since the last frame; norms of the gradient's two parts: from
        // where the row was looked up, and from the output layer that shares the matrix
        {"watched.met", "u32", {W}},
        {"watched.lookup", "f32", {W}},
        {"watched.head", "f32", {W}},
        // nearest first; -1 where there are fewer
        {"watched.neighbours", "i32", {W, K}},
        {"watched.cosine", "f32", {W, K}},
        // of the training part and of the validation part: they make nats per token comparable
        {"tokens_per_character", "f64", {2}, kOnce},
        // how often each watched sentence stands in the training part
        {"sentences.met", "u32", {std::ssize(r.sentences)}, kOnce},
        // how much of each head's attention goes where, a mean over many texts (attention/roles.h)
        {"heads.roles", "f32", {r.roles, r.blocks, r.heads}},
        // unigram, bigram and trigram model, and the floor, in nats per character; 0 if not known
        {"levels", "f64", {4}, kOnce},
        // what the model writes now
        {"sample", "u8", {kAnyLength}},
    };
    for (std::size_t s = 0; s < r.sentences.size(); ++s) {
        add_sentence(list, s, r);
        // of the last position, by the weights before they are rounded
        if (r.weights > 0)
            list.push_back(
                {sentence_stream(s, "logits"), "f32", {r.vocabulary}, 0, snapshot_steps});
    }
    if (r.weights > 0) list.push_back({kSnapshot, "bf16", {r.weights}, 0, snapshot_steps});
    if (r.pushed > 0) add_pushes(list, r, push_steps);
    return list;
}

Recorded recorded_in(const History& history) {
    const auto extent = [&](const std::string& name, std::size_t axis) {
        const HistoryStream* stream = history.stream(name);
        return stream && axis < stream->shape.size() ? stream->shape[axis] : 0;
    };
    Recorded found;
    found.parameters = extent("parameter.norm", 0);
    found.watched = std::ssize(history.watched);
    found.channels = extent("watched.start", 1);
    for (const auto& tokens : history.sentences) found.sentences.push_back(std::ssize(tokens));
    const bool roles = history.stream("heads.roles");
    if (roles) found.roles = std::min(found.roles, extent("heads.roles", 0));
    found.blocks = roles ? extent("heads.roles", 1) : extent(sentence_stream(0, "attention"), 0);
    found.heads = roles ? extent("heads.roles", 2) : extent(sentence_stream(0, "attention"), 1);
    found.weights = extent(kSnapshot, 0);
    found.pushed = extent("pushed", 0);
    found.vocabulary = extent(sentence_stream(0, "logits"), 0);
    return found;
}

List<Index> habits(const History& history, const Frame& frame) {
    const HistoryStream* stream = history.stream("heads.roles");
    if (!stream) return {};
    const Index roles = stream->shape[0], heads = stream->shape[1] * stream->shape[2];
    const Frame& first = history.frames.front();
    const HistoryNumbers now = history.numbers(frame, "heads.roles");
    const HistoryNumbers begin = history.numbers(first, "heads.roles");
    Numbers even(std::size_t(roles), 0.0), shares = even;
    for (Index i = 0; first.step == 0 && i < roles * heads; ++i)
        even[i / heads] += begin[i] / double(heads);
    List<Index> found;
    for (Index head = 0; head < heads; ++head) {
        for (Index r = 0; r < roles; ++r) shares[r] = now[r * heads + head];
        found.push_back(habit_of(shares, even));
    }
    return found;
}

void complete(History& history) {
    if (history.stream("watched"))
        history.watched = history.numbers(history.start, "watched").as<Token>();
    for (std::size_t s = 0; history.stream(sentence_stream(s)); ++s)
        history.sentences.push_back(history.numbers(history.start, sentence_stream(s)).as<Token>());
    for (const HistoryStream& expected : stream_list(recorded_in(history))) {
        const HistoryStream* found = history.stream(expected.name);
        if (!found)
            history.absent.push_back(expected.name);
        else if (found->shape != expected.shape)
            fail({"the history's %s has another shape than its other streams ask for; the file is "
                  "damaged",
                  "训练回放的 %s 的形状与其他数据不符；文件已损坏"},
                 expected.name);
    }
}

}  // namespace zhuyi
