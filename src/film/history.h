// The history of a training: its embeddings, matrices and attention at about sixty of its steps.
// This header says what a history holds and how it lies in a file. stream_list.h lists what is
// recorded, history_plan.h decides when, history_recorder.h records it.
//
// history.bin, little-endian. "numbers" are a u32 count, then that many numbers; "text" is a u32
// count, then that many bytes:
//
//     "zhuyi history 2\n"
//     records     u32 kind   u32 length   `length` bytes   u64 XXH64 of all that
//
//     start       i64 step of the first frame
//                 u32 count, then the rows of the parameter table    text name   i64 numbers shape
//                 u32 count, then the streams    text name   text element   i64 numbers shape
//                     u32 every   i64 numbers steps   f64 scale   u32 group
//                 data of the streams that are carried once, here
//     frame       i64 step    data of the streams that it carries
//     data        for each of them    u32 its index in the start's list    text its bytes
//     curve                       CurvePoint: i64 step, then f64s
//     evaluation, documents       EvaluationPoint, the same; documents: of the last evaluation,
//                                 each validation document read from its beginning
//
// The start comes first; frames, curve points and evaluations follow as they happen. A record
// that is not whole counts as not written: a file that was cut anywhere opens with all records
// before the cut. What a later program records is one more stream, not another version: a reader
// skips the streams that it does not know, and says which of the streams it knows are absent.
// Version 1 is refused.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/language.h"
#include "film/stream.h"

namespace zhuyi {

struct Frame {
    Index step = 0;                 // updates done
    std::vector<std::string> data;  // of each stream; empty where this frame does not carry it
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
    // The start:
    struct Row {
        std::string name;
        std::vector<Index> shape;
    };
    std::vector<Row> parameters;  // rows of the parameter table
    std::vector<HistoryStream> streams;
    Frame start;  // its step: that of the first frame; its data: of the streams carried once

    std::vector<Frame> frames;
    std::vector<CurvePoint> curve;
    std::vector<EvaluationPoint> evaluations, documents;
    Index dropped = 0;  // bytes after the last whole record

    // Read from the start, because it is asked for often:
    std::vector<std::vector<Token>> sentences;  // the watched ones
    std::vector<Token> watched;                 // tokens whose embedding is followed
    std::vector<std::string> absent;            // streams of stream_list.h that are not there

    Text summary() const;  // "60 frames, up to step 2000; without watched.cosine"
    // null: there is no stream of that name, or this program cannot read its element
    const HistoryStream* stream(std::string_view name) const;
    bool carries(const Frame& frame, std::string_view name) const;
    // Error when this frame does not carry it
    HistoryNumbers numbers(const Frame& frame, std::string_view name) const;
    const Frame& frame_at(Index step) const;  // UsageError that names the recorded steps
    Index place_of(Token token) const;        // index in `watched`, or -1
    // (C): the embedding of watched[place]
    std::vector<double> embedding(const Frame& frame, Index place) const;
    // Attention weights of one head over a sentence as (T, T), zeros above the diagonal.
    std::vector<float> map(const Frame& frame, std::size_t sentence, Index block, Index head) const;
};

// ---- bytes

constexpr const char* kHistoryFile = "history.bin";
constexpr std::string_view kHistoryMagic = "zhuyi history 2\n";
constexpr std::string_view kHistoryMagic1 = "zhuyi history 1\n";  // is refused
enum class RecordKind : std::uint32_t {                           // never renumber
    start = 1,
    frame = 2,
    curve = 3,
    evaluation = 4,
    documents = 5
};

std::string record(RecordKind kind, std::string_view payload);
std::string start_record(const History& history);
std::string record(const Frame& frame);
std::string record(const CurvePoint& point);
std::string record(RecordKind kind, const EvaluationPoint& point);

// Throws Error when these bytes are no history, or not even its start.
History parse_history(std::string_view bytes, const std::string& origin);
// Reads the file. `vocabulary`: how many tokens the training has. Throws Error also when there is
// no frame yet, or a token outside the vocabulary (the file was copied here from another training).
History read_history(const std::string& path, Index vocabulary);

}  // namespace zhuyi
