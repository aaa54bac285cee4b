#include "film/history.h"

#include "formats/bytes.h"
#include "fuzz/fuzz.h"

using namespace zhuyi;

namespace {

// Records with right checksums, since no fuzzer guesses one: kind, length in two bytes, payload.
std::string film_of(std::string_view bytes) {
    std::string film(kHistoryMagic);
    while (bytes.size() >= 3) {
        const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
        const auto kind = RecordKind(at(0));
        const std::size_t length = at(1) + 256u * at(2);
        film += record(kind, bytes.substr(3, length));
        bytes.remove_prefix(std::min(bytes.size(), 3 + length));
    }
    return film;
}

// Every number that the commands ask a film for.
void look(const History& history) {
    const HistoryStart& start = history.start;
    for (const Frame& frame : history.frames) {
        hold(history.frame_at(frame.step).step == frame.step, "frames are found by their step");
        for (std::size_t p = 0; p < frame.probes.size(); ++p)
            for (Index layer = 0; layer < start.layers; ++layer)
                for (Index head = 0; head < start.heads; ++head)
                    frame.probes[p].map(layer, head, start.heads, Index(start.probes[p].size()));
        for (const Token token : start.watched) {
            const Index place = history.place_of(token);
            hold(Index(history.embedding(frame, place).size()) == start.channels,
                 "an embedding has C elements");
        }
    }
}

void write(const History& history) {
    std::string film =
        std::string(kHistoryMagic) + record(RecordKind::start, encoded(history.start));
    for (const Frame& frame : history.frames) film += record(RecordKind::frame, encoded(frame));
    for (const CurvePoint& p : history.curve) film += record(RecordKind::curve, encoded(p));
    for (const EvaluationPoint& p : history.evaluations)
        film += record(RecordKind::evaluation, encoded(p));
    const History again = parse_history(film, "written");
    hold(encoded(again.start) == encoded(history.start), "the start reads back the same");
    hold(again.frames.size() == history.frames.size() && again.dropped == 0, "as do the frames");
    for (std::size_t i = 0; i < again.frames.size(); ++i)
        hold(encoded(again.frames[i]) == encoded(history.frames[i]), "each of them");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    return fuzz([&] {
        const std::string_view bytes = text_of(data + 1, size - 1);
        const History history =
            parse_history(data[0] == 'f' ? std::string(bytes) : film_of(bytes), "film");
        look(history);
        write(history);
    });
}
