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
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/language.h"
#include "base/list.h"

namespace zhuyi {

class Tokenizer;
struct AttentionMaps;
struct Sheet;

constexpr Index kAnyLength = -1;

// One stream: numbers of one kind, of the same name and shape in every frame that carries it. A
// number is stored as a level, which is a number of type `element`: value = scale · level.
// Rounding:
//     attention    u16, scale 1/65535: the error is at most 0.000008
//     changes      (an embedding minus its initial value) `group` levels share a scale, chosen so
//                  that the largest of them just fits the element: the error is at most 1/65534 of
//                  the largest number in i16, 1/254 in i8. So the tiny changes of the first steps
//                  are stored as exactly as the large ones of the last.
struct HistoryStream {
    std::string name;          // "watched.moved"
    std::string element;       // of the levels: u8 i8 u16 i16 u32 i32 f32 f64 bf16
    std::vector<Index> shape;  // of what one frame carries; {kAnyLength}: a text
    // Which frames carry it: every `every`-th one, from the first on; if `every` is 0, the frames
    // of `steps`; if `steps` is empty too, no frame, but the start, once.
    Index every = 1;
    std::vector<Index> steps{};
    double scale = 1;
    Index group = 0;  // not 0: each group of `group` levels has a scale (f32, before all levels)

    bool once() const { return every == 0 && steps.empty(); }
    bool readable() const;  // does this program know its element?
    Index size() const;     // numbers in a frame; kAnyLength when their count may change
    double bytes() const;   // of a frame's data; 0 for kAnyLength
    bool fits(std::size_t bytes) const;  // can a frame's data have this length?
    // Error when there are more or fewer values than a frame carries.
    std::string encoded(const std::vector<double>& values) const;
};

// What one frame carries of a stream; a view.
class HistoryNumbers {
  public:
    // data fits the stream.
    HistoryNumbers(const HistoryStream& stream, std::string_view data);
    std::size_t size() const { return size_; }
    double operator[](std::integral auto i) const { return at(std::size_t(i)); }
    std::string_view scales() const { return scales_; }  // f32s; empty without groups
    std::string_view levels() const { return levels_; }

    // All of them as T; -1 for a number that T cannot hold (the file is damaged).
    template <class T>
    List<T> as() const {
        List<T> all(size_, T(-1));
        for (std::size_t i = 0; i < size_; ++i)
            if (const double x = (*this)[i]; x >= double(std::numeric_limits<T>::lowest()) &&
                                             x <= double(std::numeric_limits<T>::max()))
                all[i] = T(x);
        return all;
    }

  private:
    double at(std::size_t i) const;
    std::string_view scales_, levels_;
    double (*level_)(const char* bytes);
    double scale_;
    std::size_t width_, group_, size_;
};

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
    List<Token> watched;                        // tokens whose embedding is followed
    std::vector<std::string> absent;            // streams of stream_list.h that are not there

    std::string summary() const;  // "60 frames, up to step 2000; without watched.cosine"
    // Null if there is no stream of that name, or if this program cannot read its element.
    const HistoryStream* stream(std::string_view name) const;
    bool carries(const Frame& frame, std::string_view name) const;
    // Error when this frame does not carry it
    HistoryNumbers numbers(const Frame& frame, std::string_view name) const;
    const Frame& frame_at(Index step) const;  // UsageError that names the recorded steps
    Index place_of(Token token) const;        // index in `watched`, or -1
    // (C): the embedding of watched[place]
    List<double> embedding(const Frame& frame, Index place) const;
    // Attention weights of one head over a sentence as (T, T), zeros above the diagonal.
    List<float> map(const Frame& frame, std::size_t sentence, Index block, Index head) const;
};

// ---- what commands ask for

// The index of a token in history.watched. Throws UsageError when the token was not watched; the
// message says how to watch it in the next training.
Index watched_place(const History& history, const Tokenizer& tokenizer, Token token);

// Attention as it was recorded: the same maps as those of a model in memory, of an earlier step.
// Throws UsageError when the text is none of the recorded sentences, or the step none of the
// frames, and says which there are.
AttentionMaps recorded_maps(const History& history, const Tokenizer& tokenizer,
                            std::string_view text, Index step);

// What each context has added to E[token] from step 0 up to the last frame that recorded it
// (film/pushes.h). `towards` are tokens; the place of their embedding at the end gives a direction.
// If it is empty, the nearest ones are taken. The sections are whole, contexts, towards. Throws
// UsageError if the training did not record it for this token; the message says for which it did,
// and how to.
Sheet push_sheet(const History& history, const Tokenizer& tokenizer, Token token,
                 std::vector<Token> towards);

// ---- bytes

constexpr const char* kHistoryFile = "history.bin";
constexpr std::string_view kHistoryMagic = "zhuyi history 2\n";
enum class RecordKind : std::uint32_t {  // never renumber
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
// Reads the file as far as `state` (of the recorder, from a checkpoint) reaches. Throws Error when
// the file is not the one that this state was written for.
History verify_history(const std::string& path, const std::string& state);

}  // namespace zhuyi
