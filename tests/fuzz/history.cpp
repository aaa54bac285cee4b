#include "film/history.h"

#include "film/stream_list.h"
#include "fuzz/fuzz.h"

using namespace zhuyi;

namespace {

// Records with right checksums, since no fuzzer guesses one: kind, length in two bytes, payload.
std::string film_of(std::string_view magic, std::string_view bytes) {
    std::string film(magic);
    while (bytes.size() >= 3) {
        const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
        const auto kind = RecordKind(at(0));
        const std::size_t length = at(1) + 256u * at(2);
        film += record(kind, bytes.substr(3, length));
        bytes.remove_prefix(std::min(bytes.size(), 3 + length));
    }
    return film;
}

// Every number that the commands ask a history for.
void look(const History& history) {
    for (const Frame& frame : history.frames) {
        hold(history.frame_at(frame.step).step == frame.step, "frames are found by their step");
        for (const HistoryStream& stream : history.streams)
            if (history.stream(stream.name) == &stream && history.carries(frame, stream.name)) {
                double sum = 0;
                const HistoryNumbers numbers = history.numbers(frame, stream.name);
                for (std::size_t i = 0; i < numbers.size(); ++i) sum += numbers[i];
                numbers.as<Token>();
                hold(sum == 0 || sum != 0, "all of them can be read");
            }
        for (std::size_t s = 0; s < history.sentences.size(); ++s) {
            const std::string name = sentence_stream(s, "attention");
            if (!history.carries(frame, name)) continue;
            const std::vector<Index>& shape = history.stream(name)->shape;
            history.map(frame, s, shape[0] - 1, shape[1] - 1);
        }
        if (history.stream("watched.start") && history.carries(frame, "watched.moved"))
            for (const Token token : history.watched)
                history.embedding(frame, history.place_of(token));
    }
}

void write(const History& history) {
    std::string film = std::string(kHistoryMagic) + start_record(history);
    for (const Frame& frame : history.frames) film += record(frame);
    for (const CurvePoint& p : history.curve) film += record(p);
    for (const EvaluationPoint& p : history.evaluations) film += record(RecordKind::evaluation, p);
    for (const EvaluationPoint& p : history.documents) film += record(RecordKind::documents, p);
    const History again = parse_history(film, "written");
    hold(start_record(again) == start_record(history), "the start reads back the same");
    hold(again.frames.size() == history.frames.size() && again.dropped == 0, "as do the frames");
    for (std::size_t i = 0; i < again.frames.size(); ++i)
        hold(record(again.frames[i]) == record(history.frames[i]), "each of them");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    return fuzz([&] {
        const std::string_view bytes = text_of(data + 1, size - 1);
        const History history = parse_history(
            data[0] == 'f' ? std::string(bytes) : film_of(kHistoryMagic, bytes), "film");
        look(history);
        write(history);
    });
}
