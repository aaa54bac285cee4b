#include "film/history.h"

#include <doctest/doctest.h>

#include "base/check.h"
#include "support/close.h"
#include "support/scratch.h"

using namespace zhuyi;

namespace {

// One block, one head, a probe of two tokens, one watched token of two channels.
HistoryStart small_start() {
    HistoryStart start;
    start.layers = 1, start.heads = 1, start.channels = 2;
    start.probes = {{5, 6}};
    start.watched = {5};
    start.embeddings = {1, -1};
    start.matrices = {scaled<std::int16_t>({0.5, -0.25})};
    return start;
}

Frame small_frame(Index step) {
    Frame frame;
    frame.step = step;
    frame.parameters = {{1}, {2}, {3}, {4}};
    WatchedFrame& w = frame.watched;
    w.moved = {scaled<std::int16_t>({0.001 * double(step), 0})};
    w.from_start = w.from_last = w.lookup = w.head = {0.5f};
    w.met = {7};
    w.neighbours.assign(kNeighbours, 6);
    w.cosine.assign(kNeighbours, 0.25f);
    ProbeFrame probe;
    probe.attention = {65535, 16384, 49151};
    probe.top.assign(2 * kTopPredictions, 6);
    probe.probability.assign(2 * kTopPredictions, 0.2f);
    frame.probes = {probe};
    frame.matrices = {scaled<std::int8_t>({1e-5, -2e-5})};
    frame.sample = "小猫";
    return frame;
}

std::string small_film() {
    std::string film(kHistoryMagic);
    film += record(RecordKind::start, encoded(small_start()));
    film += record(RecordKind::evaluation, encoded(EvaluationPoint{0, 2.5}));
    film += record(RecordKind::frame, encoded(small_frame(0)));
    film += record(RecordKind::curve, encoded(CurvePoint{1, 2.25, 1e-3, 0.5}));
    film += record(RecordKind::frame, encoded(small_frame(1)));
    return film;
}

}  // namespace

TEST_CASE("history: numbers keep to a grid of their largest one") {
    const auto grid = scaled<std::int8_t>({0.02, -0.005, 0.0});
    CHECK(grid.levels == std::vector<std::int8_t>{127, -32, 0});
    CHECK(close(grid[0], 0.02, 0, 1e-6));
    CHECK(close(grid[1], -0.005, 0.02 / 254 + 1e-9));
    const auto nothing = scaled<std::int8_t>({0.0, 0.0});
    CHECK(nothing[1] == 0);
}

TEST_CASE("history: what was written is read back") {
    const History film = parse_history(small_film(), "film");
    CHECK(film.dropped == 0);
    CHECK(film.start.probes == std::vector<std::vector<Token>>{{5, 6}});
    CHECK(film.start.matrices[0].levels == std::vector<std::int16_t>{32767, -16384});
    REQUIRE(film.frames.size() == 2);
    CHECK(film.frames[1].step == 1);
    CHECK(film.frames[1].sample == "小猫");
    CHECK(film.frames[1].watched.met[0] == 7);
    CHECK(film.frames[1].parameters.gradient == std::vector<float>{4});
    CHECK(close(film.frames[1].matrices[0][1], -2e-5, 1e-7));
    CHECK(close(film.embedding(film.frames[1], film.place_of(5))[0], 1.001, 1e-7));
    CHECK(film.place_of(6) == -1);
    CHECK(film.curve[0].loss == 2.25);
    CHECK(film.evaluations[0].loss == 2.5);
}

TEST_CASE("history: attention as a square, nothing above its diagonal") {
    const std::vector<float> map = small_frame(0).probes[0].map(0, 0, 1, 2);
    CHECK(map[0] == 1);
    CHECK(map[1] == 0);
    CHECK(close(double(map[2]), 0.25, 1e-5));
    CHECK(close(double(map[3]), 0.75, 1e-5));
}

TEST_CASE("history: a film cut at any byte opens with all whole records before the cut") {
    const std::string film = small_film();
    const std::size_t first =
        kHistoryMagic.size() + record(RecordKind::start, encoded(small_start())).size();
    for (std::size_t length = 0; length < film.size(); ++length) {
        CAPTURE(length);
        const std::string cut = film.substr(0, length);
        if (length < first) {
            CHECK_THROWS_AS(parse_history(cut, "film"), Error);
            continue;
        }
        const History opened = parse_history(cut, "film");
        CHECK(opened.frames.size() < 2);  // the second frame is the film's end
        CHECK(opened.dropped < Index(length - first + 1));
    }
}

TEST_CASE("history: a changed byte ends the film before its record") {
    const std::string film = small_film();
    const std::size_t first =
        kHistoryMagic.size() + record(RecordKind::start, encoded(small_start())).size();
    for (std::size_t at = first; at < film.size(); at += 3) {
        CAPTURE(at);
        std::string changed = film;
        changed[at] = char(changed[at] ^ 0x10);
        const History opened = parse_history(changed, "film");
        CHECK(opened.dropped > 0);
    }
}

TEST_CASE("history: a step that is not there, a file that is none") {
    const History film = parse_history(small_film(), "film");
    CHECK(film.frame_at(1).step == 1);
    try {
        film.frame_at(7);
        FAIL("step 7 was found");
    } catch (const UsageError& error) {
        CHECK(std::string(error.what()).find("0, 1") != std::string::npos);
    }
    CHECK_THROWS_AS(parse_history("PK\x03\x04 something else", "film"), Error);
    CHECK_THROWS_AS(read_history("/no such file", 7), Error);
}

TEST_CASE("history: a film of another vocabulary, or without a frame, is no film of this run") {
    const ScratchFolder folder;
    const std::string path = folder.write("history.bin", small_film());
    CHECK(read_history(path, 7).frames.size() == 2);
    const auto message = [](const std::string& film, Index vocabulary) {
        try {
            read_history(film, vocabulary);
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string("no complaint");
    };
    CHECK(message(path, 6).find("found 6 of 6") != std::string::npos);
    const std::string start =
        std::string(kHistoryMagic) + record(RecordKind::start, encoded(small_start()));
    CHECK(message(folder.write("start", start), 7).find("no frame yet") != std::string::npos);
}

// The fuzzer's: frames that fitted the first start were read by the sizes of the second.
TEST_CASE("history: a film that begins twice is none") {
    HistoryStart larger = small_start();
    larger.heads = 2;
    const std::string film = small_film() + record(RecordKind::start, encoded(larger));
    CHECK_THROWS_WITH_AS(parse_history(film, "film"), "film: the film begins twice; it is damaged",
                         Error);
}

// The fuzzer's: 4294967292 layers of 4294967294 heads overflowed the product they were compared by.
TEST_CASE("history: sizes that no model has are refused before anything is computed from them") {
    HistoryStart start = small_start();
    start.layers = 4294967292, start.heads = 4294967294;
    const std::string film = std::string(kHistoryMagic) +
                             record(RecordKind::start, encoded(start)) +
                             record(RecordKind::frame, encoded(small_frame(0)));
    CHECK_THROWS_AS(parse_history(film, "film"), Error);
}
