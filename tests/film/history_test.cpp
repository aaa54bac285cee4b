#include "film/history.h"

#include <doctest/doctest.h>

#include <map>

#include "base/check.h"
#include "film/stream_list.h"
#include "support/close.h"
#include "support/has.h"
#include "support/scratch.h"

using namespace zhuyi;

namespace {

// One block, one head, a sentence of two tokens, one watched token of two channels; and a matrix,
// as earlier versions recorded it: once in 16 bits, its change at step 1 in 8.
History small_history() {
    History history;
    history.parameters = {{"embedding.token", {7, 2}}, {"W", {1, 2}}};
    history.streams = stream_list({2, 1, 2, {2}, 1, 1});
    history.streams.push_back({"matrix.W.start", "i16", {1, 2}, 0, {}, 1, 2});
    history.streams.push_back({"matrix.W.moved", "i8", {1, 2}, 0, {1}, 1, 2});
    return history;
}

// A frame of those streams that `values` names.
Frame frame_of(const History& history, Index step, bool once,
               const std::map<std::string, std::vector<double>>& values) {
    Frame frame{step, {}};
    for (const HistoryStream& stream : history.streams) {
        const auto found = values.find(stream.name);
        const bool there = found != values.end() && stream.once() == once;
        frame.data.push_back(there ? stream.encoded(found->second) : "");
    }
    return frame;
}

std::map<std::string, std::vector<double>> small_values(Index step) {
    const std::vector<double> six(kNeighbours, 6), top(2 * kTopPredictions, 6);
    return {{"watched", {5}},
            {"watched.start", {1, -1}},
            {"sentence.0", {5, 6}},
            {"matrix.W.start", {0.5, -0.25}},
            {"parameter.norm", {1, 1}},
            {"parameter.from_start", {2, 2}},
            {"parameter.ratio", {3, 3}},
            {"parameter.gradient", {4, 4}},
            {"watched.moved", {0.001 * double(step), 0}},
            {"watched.from_start", {0.5}},
            {"watched.from_last", {0.5}},
            {"watched.met", {7}},
            {"watched.lookup", {0.5}},
            {"watched.head", {0.5}},
            {"watched.neighbours", six},
            {"watched.cosine", six},
            {"sample", {0xE5, 0xB0, 0x8F}},  // 小
            {"sentence.0.attention", {1, 0.25, 0.75}},
            {"sentence.0.top", top},
            {"sentence.0.probability", std::vector<double>(top.size(), 0.2)},
            {"matrix.W.moved", {1e-5, -2e-5}}};
}

Frame small_frame(Index step) { return frame_of(small_history(), step, false, small_values(step)); }

std::string small_start(History history = small_history(), Index begin = 0) {
    history.start = frame_of(history, begin, true, small_values(begin));
    return start_record(history);
}

std::string small_film() {
    std::string film(kHistoryMagic);
    film += small_start();
    film += record(RecordKind::evaluation, EvaluationPoint{0, 2.5});
    film += record(RecordKind::documents, EvaluationPoint{0, 2.25});
    film += record(small_frame(0));
    film += record(CurvePoint{1, 2.25, 1e-3, 0.5});
    film += record(small_frame(1));
    return film;
}

}  // namespace

TEST_CASE("history: numbers of a stream, on a grid of the largest of each group") {
    const HistoryStream stream{"x", "i8", {2, 3}, 1, {}, 1, 3};
    const std::string data = stream.encoded({0.02, -0.005, 0, 0, 0, 0});
    CHECK(data.size() == 2 * 4 + 6);
    CHECK(double(data.size()) == stream.bytes());
    const HistoryNumbers numbers(stream, data);
    REQUIRE(numbers.size() == 6);
    CHECK(close(numbers[0], 0.02, 0, 1e-6));
    CHECK(close(numbers[1], -0.005, 0.02 / 254 + 1e-9));
    CHECK(numbers[2] == 0);
    CHECK(numbers[4] == 0);
    CHECK_THROWS_AS(stream.encoded({1, 2}), Error);
}

TEST_CASE("history: every element keeps what it can hold") {
    for (const char* element : {"u8", "i8", "u16", "i16", "u32", "i32", "f32", "f64", "bf16"}) {
        CAPTURE(element);
        const HistoryStream stream{"x", element, {3}};
        const std::string data = stream.encoded({0, 1, 100});
        CHECK(HistoryNumbers(stream, data).as<Index>() == std::vector<Index>{0, 1, 100});
    }
    const HistoryStream bf16{"x", "bf16", {2}};
    const std::string data =
        bf16.encoded({1.00390625, -3.1415926});  // half of the last bit: to even
    CHECK(HistoryNumbers(bf16, data)[0] == 1);
    CHECK(HistoryNumbers(bf16, data)[1] == -3.140625);
    CHECK(!HistoryStream{"x", "f8", {2}}.readable());
}

TEST_CASE("history: what was written is read back") {
    const History film = parse_history(small_film(), "film");
    CHECK(film.dropped == 0);
    CHECK(film.absent.empty());
    CHECK(film.start.step == 0);
    CHECK(film.parameters[1].name == "W");
    CHECK(film.parameters[0].shape == std::vector<Index>{7, 2});
    CHECK(film.sentences == std::vector<std::vector<Token>>{{5, 6}});
    CHECK(close(film.numbers(film.start, "matrix.W.start")[1], -0.25, 1e-5));
    REQUIRE(film.frames.size() == 2);
    const Frame& frame = film.frames[1];
    CHECK(frame.step == 1);
    CHECK(film.numbers(frame, "sample").levels() == "小");
    CHECK(film.numbers(frame, "watched.met")[0] == 7);
    CHECK(film.numbers(frame, "parameter.gradient").as<Index>() == std::vector<Index>{4, 4});
    CHECK(close(film.numbers(frame, "matrix.W.moved")[1], -2e-5, 1e-7));
    CHECK(close(film.embedding(frame, film.place_of(5))[0], 1.001, 1e-7));
    CHECK(film.place_of(6) == -1);
    CHECK(film.curve[0].loss == 2.25);
    CHECK(film.evaluations[0].loss == 2.5);
    CHECK(film.documents[0].loss == 2.25);
}

TEST_CASE("history: it may begin at any step") {
    const std::string film =
        std::string(kHistoryMagic) + small_start(small_history(), 40) + record(small_frame(40));
    CHECK(parse_history(film, "film").summary() == "1 frames, up to step 40, from step 40 on");
}

TEST_CASE("history: a stream of a later program, even of an unknown element, is passed over") {
    History history = small_history();
    history.streams.insert(history.streams.begin(), {{"toy", "f64", {2}, 2}, {"odd", "q7", {9}}});
    auto values = small_values(0);
    values["toy"] = {1.5, -2.5};
    std::string film = std::string(kHistoryMagic) + small_start(history);
    for (const Index step : {0, 1}) {
        if (step == 1) values.erase("toy");
        Frame frame = frame_of(history, step, false, values);
        frame.data[1] = "of another kind";
        film += record(frame);
    }
    const History read = parse_history(film, "film");
    CHECK(read.dropped == 0);
    CHECK(read.absent.empty());
    REQUIRE(read.frames.size() == 2);
    CHECK(read.numbers(read.frames[0], "toy")[1] == -2.5);
    CHECK(!read.carries(read.frames[1], "toy"));
    CHECK_THROWS_AS(read.numbers(read.frames[1], "toy"), Error);
    CHECK(read.stream("odd") == nullptr);
    CHECK(read.numbers(read.frames[1], "watched.met")[0] == 7);
    CHECK(close(double(read.map(read.frames[0], 0, 0, 0)[3]), 0.75, 1e-5));
}

TEST_CASE("history: which of the known streams are absent") {
    History history = small_history();
    std::erase_if(history.streams,
                  [](const HistoryStream& stream) { return stream.name == "watched.cosine"; });
    const std::string film = std::string(kHistoryMagic) + small_start(history) +
                             record(frame_of(history, 0, false, small_values(0)));
    const History read = parse_history(film, "film");
    CHECK(read.absent == std::vector<std::string>{"watched.cosine"});
    CHECK(in_chinese([&] { return read.summary(); }) == "1 帧，到第 0 步；没有 watched.cosine");
    CHECK_THROWS_WITH_AS(read.numbers(read.frames[0], "watched.cosine"),
                         doctest::Contains("no watched.cosine at step 0"), Error);
}

TEST_CASE("history: a file of another version is refused, and the message says what to do") {
    CHECK_THROWS_WITH_AS(parse_history("zhuyi history 1\nand so on", "film"),
                         "film: no history of a training that this zhuyi reads (it does not begin "
                         "with \"zhuyi history 2\"); `zhuyi train --resume` sets it aside and "
                         "begins a new one",
                         Error);
}

TEST_CASE("history: attention as a square, nothing above its diagonal") {
    const History film = parse_history(small_film(), "film");
    const std::vector<float> map = film.map(film.frames[0], 0, 0, 0);
    CHECK(map[0] == 1);
    CHECK(map[1] == 0);
    CHECK(close(double(map[2]), 0.25, 1e-5));
    CHECK(close(double(map[3]), 0.75, 1e-5));
}

TEST_CASE("history: a film cut at any byte opens with all whole records before the cut") {
    const std::string film = small_film();
    const std::size_t first = kHistoryMagic.size() + small_start().size();
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
    const std::size_t first = kHistoryMagic.size() + small_start().size();
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
    const std::string start = std::string(kHistoryMagic) + small_start();
    CHECK(message(folder.write("start", start), 7).find("no frame yet") != std::string::npos);
}

// The fuzzer's: frames that fitted the first start were read by the sizes of the second.
TEST_CASE("history: one that begins twice is none") {
    CHECK_THROWS_WITH_AS(parse_history(small_film() + small_start(), "film"),
                         "film: the history begins twice; it is damaged", Error);
}

// The fuzzer's: 4294967292 blocks of 4294967294 heads overflowed the product they were compared by.
TEST_CASE("history: sizes that no model has are refused before anything is computed from them") {
    History history = small_history();
    for (HistoryStream& stream : history.streams)
        if (stream.name == "sentence.0.attention") stream.shape = {4294967292, 4294967294, 3};
    CHECK_THROWS_AS(parse_history(std::string(kHistoryMagic) + small_start(history), "film"),
                    Error);
}

TEST_CASE("history: known streams whose shapes contradict each other are refused") {
    History history = small_history();
    for (HistoryStream& stream : history.streams)
        if (stream.name == "watched.cosine") stream.shape = {2, kNeighbours};
    CHECK_THROWS_WITH_AS(parse_history(std::string(kHistoryMagic) + small_start(history), "film"),
                         doctest::Contains("watched.cosine has another shape"), Error);
}
