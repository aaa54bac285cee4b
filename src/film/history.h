// The film of a training run: what its embeddings, matrices and attention were at some sixty moments.
// This header is what a film holds and how it lies in a file; history_recorder.h shoots it,
// history_plan.h decides when and of what.
//
// history.bin, little-endian:
//
//     "zhuyi history 1\n"
//     records     u32 kind   u32 length   `length` bytes   u64 XXH64 of all that
//
// The first record is the start; frames, curve points and evaluations follow as they happen. A record
// is whole or it counts as not written: a file cut anywhere opens with everything before the cut.
//
// What is rounded, and how much (nothing else is):
//     attention    65535 levels from 0 to 1: wrong by at most 0.000008
//     an embedding's way from the start   16 bits of its own largest element: 1/65534 of that
//     a matrix's way from the start       8 bits of its own largest element: 1/254 of that
// A way is kept and not a place, so that the first, tiny updates are as sharp as the last.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/real.h"
#include "model/config.h"

namespace zhuyi {

constexpr Index kTopPredictions = 5, kNeighbours = 8;

// Numbers on a grid of their own: value = scale · level.
template <class Level>
struct Scaled {
    float scale = 0;
    std::vector<Level> levels;
    double operator[](std::size_t i) const { return double(scale) * double(levels[i]); }
    std::size_t size() const { return levels.size(); }
};
template <class Level>
Scaled<Level> scaled(const std::vector<double>& values) {
    double largest = 0;
    for (double x : values) largest = std::max(largest, std::abs(x));
    Scaled<Level> grid{float(largest / double(std::numeric_limits<Level>::max())), {}};
    grid.levels.reserve(values.size());
    for (double x : values)
        grid.levels.push_back(grid.scale > 0 ? Level(std::lrint(x / double(grid.scale)))
                                             : Level(0));
    return grid;
}

// What stays the same through the film.
struct HistoryStart {
    Index layers = 0, heads = 0, channels = 0;
    Index block = 0;                             // whose matrices are kept
    std::vector<std::vector<Token>> probes;      // sentences
    std::vector<Token> watched;                  // tokens whose embedding is followed
    std::vector<float> embeddings;               // theirs at step 0: (watched, C)
    std::vector<Scaled<std::int16_t>> matrices;  // W_Q W_K W_V W_O W_1 W_2 of the block at step 0
};

struct ProbeFrame {
    // (L, H, T (T + 1) / 2): row t holds its t + 1 weights, behind row t - 1.
    std::vector<std::uint16_t> attention;
    std::vector<Token> top;          // (T, 5): what may follow each position, most likely first
    std::vector<float> probability;  // (T, 5)

    // Weights of layer l and head h as (T, T), zeros above the diagonal.
    std::vector<float> map(Index layer, Index head, Index heads, Index T) const;
};

// One element for each watched token.
struct WatchedFrame {
    std::vector<Scaled<std::int16_t>> moved;   // E now - E at the start, (C) each
    std::vector<float> from_start, from_last;  // how far that is; and from the last frame
    std::vector<std::uint32_t> met;            // times in the batches since the last frame
    std::vector<float> lookup,
        head;  // length of the gradient's parts: from where it was read, from the tied head
    std::vector<Token> neighbours;  // (watched, 8), nearest first; -1 where there are fewer
    std::vector<float> cosine;      // (watched, 8)
};

// One element for each row of the parameter table.
struct ParameterFrame {
    std::vector<float> norm, from_start;
    std::vector<float> ratio;  // ‖Δw‖ / ‖w‖ of the update that led here; 0 before the first
    std::vector<float> gradient;  // its gradient's norm, before clipping
};

struct Frame {
    Index step = 0;  // updates done
    ParameterFrame parameters;
    WatchedFrame watched;
    std::vector<ProbeFrame> probes;
    std::vector<Scaled<std::int8_t>>
        matrices;        // their ways from the start; empty in thinned frames
    std::string sample;  // what the model writes now
};

// The mean over a few steps, the last of which is `step`.
struct CurvePoint {
    Index step = 0;
    double loss = 0, learning_rate = 0, gradient_norm = 0;
};
struct EvaluationPoint {
    Index step = 0;
    double loss = 0;
};

struct History {
    HistoryStart start;
    std::vector<Frame> frames;
    std::vector<CurvePoint> curve;
    std::vector<EvaluationPoint> evaluations;
    Index dropped = 0;  // bytes behind the last whole record

    const Frame& frame_at(Index step) const;  // Error naming the recorded steps
    Index place_of(Token token) const;        // in start.watched, or -1
    std::vector<double> embedding(const Frame& frame, Index place) const;
};

// ---- bytes

constexpr const char* kHistoryFile = "history.bin";
constexpr std::string_view kHistoryMagic = "zhuyi history 1\n";
enum class RecordKind : std::uint32_t {
    start = 1,
    frame = 2,
    curve = 3,
    evaluation = 4
};  // never renumber

std::string encoded(const HistoryStart& start);
std::string encoded(const Frame& frame);
std::string encoded(const CurvePoint& point);
std::string encoded(const EvaluationPoint& point);
std::string record(RecordKind kind, std::string_view payload);

// Throws Error when there is no film, or not even its start.
History parse_history(std::string_view bytes, const std::string& origin);
// Of a run whose vocabulary has so many tokens; an Error also when it has no frame yet, or tokens of
// another vocabulary (a film that was copied here from another run).
History read_history(const std::string& path, Index vocabulary);

}  // namespace zhuyi
