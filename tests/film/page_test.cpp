#include "film/page.h"

#include <doctest/doctest.h>

#include "base/random.h"
#include "film/history_frame.h"
#include "film/page_files.h"

using namespace zhuyi;

namespace {

// A film of a model that was never trained: what matters here is its size.
Film made_up(Index frames, Index channels, Index probe) {
    Film film;
    film.name = "</script>小";
    film.model.channels = channels, film.model.heads = 6, film.model.layers = 6;
    const std::string_view texts[] = {"小猫吃鱼"};
    film.tokenizer =
        std::make_unique<CharacterTokenizer>(CharacterTokenizer::from_texts(texts, 1, 1));
    film.model.vocabulary = film.tokenizer->size();
    const std::vector<Parameter> table = parameter_table(film.model);
    const Token cat = film.tokenizer->encode("猫")[0];

    HistoryStart& start = film.history.start;
    start.layers = 6, start.heads = 6, start.channels = channels;
    start.probes = {std::vector<Token>(std::size_t(probe), cat)};
    start.watched = {cat, cat + 1};
    start.embeddings.assign(std::size_t(2 * channels), 0.5f);
    for (const Parameter* p : matrices_of(table, 0))
        start.matrices.push_back(
            scaled<std::int16_t>(std::vector<double>(std::size_t(p->shape.size()), 0.1)));
    Frame frame;
    frame.parameters.norm.assign(table.size(), 1);
    frame.parameters.from_start = frame.parameters.ratio = frame.parameters.gradient =
        frame.parameters.norm;
    WatchedFrame& w = frame.watched;
    w.from_start = w.from_last = w.lookup = w.head = {1, 2};
    w.met = {3, 4};
    w.neighbours.assign(2 * kNeighbours, cat);
    w.cosine.assign(2 * kNeighbours, 0.5f);
    for (int i = 0; i < 2; ++i)
        w.moved.push_back(
            scaled<std::int16_t>(std::vector<double>(std::size_t(channels), 0.01 * i)));
    frame.probes.resize(1);
    frame.probes[0].attention.assign(std::size_t(36 * probe * (probe + 1) / 2), 1000);
    frame.probes[0].top.assign(std::size_t(probe * kTopPredictions), cat);
    frame.probes[0].probability.assign(std::size_t(probe * kTopPredictions), 0.2f);
    for (const auto& matrix : start.matrices)
        frame.matrices.push_back(scaled<std::int8_t>(std::vector<double>(matrix.size(), 0.01)));
    frame.sample = "小猫<b>";
    for (Index i = 0; i < frames; ++i) {
        frame.step = 10 * i;
        film.history.frames.push_back(frame);
    }
    return film;
}

std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
    return count;
}

}  // namespace

TEST_CASE("page: everything it names is within, and nothing that the data say ends it") {
    const Film film = made_up(3, 24, 4);
    const std::string page = film_page(film, nullptr, {Language::english, 7});
    CHECK(count_of(page, "src=\"") == 0);
    CHECK(count_of(page, "rel=\"stylesheet\"") == 0);
    CHECK(count_of(page, "://") ==
          count_of(page, "http://www.w3.org/2000/svg"));  // the name of SVG, no address
    CHECK(count_of(page, "<html lang=\"en\">") == 1);
    CHECK(count_of(page, "http-equiv=\"refresh\" content=\"7\"") == 1);
    CHECK(count_of(page, "</script>") == count_of(page, "<script"));
    CHECK(count_of(page, "</html>") == 1);
}

TEST_CASE("page: no file holds what would end its raw string in the program") {
    CHECK(page_files().size() > 10);
    for (const PageFile& file : page_files()) {
        CAPTURE(file.name);
        CHECK(!file.content.empty());
        CHECK(file.content.find(")page\"") == file.content.npos);
        if (file.name == "index.html") continue;
        CHECK(file.content.find("</script") == file.content.npos);
        CHECK(file.content.find("</style") == file.content.npos);
    }
}

TEST_CASE("page: data that fit are all there") {
    const Film film = made_up(5, 24, 4);
    const Json data = parse_json(film_data(film, &film, 9'000'000).write(), "data");
    CHECK(data.at("steps").items().size() == 5);
    CHECK(data.at("matrices").at("frames").items().size() == 5);
    CHECK(data.at("probes").items()[0].at("attention").at("type").text() == "u16");
    CHECK(data.at("other").at("run").text() == film.name);
    const std::string& attention = data.at("probes").items()[0].at("attention").at("data").text();
    CHECK(attention.size() == std::size_t((5 * 36 * 10 * 2 + 2) / 3 * 4));
}

TEST_CASE("page: a film that is too large is thinned, matrices first, and stays within 10 MB") {
    const Film wide = made_up(40, 192, 4);  // 442,368 weights a frame
    const Json some = film_data(wide, nullptr, 9'000'000);
    CHECK(some.at("steps").items().size() == 40);
    CHECK(some.at("matrices").at("frames").items().size() < 20);
    CHECK(some.at("matrices").at("frames").items().back().integer() ==
          39);  // the last is always there
    CHECK(film_page(wide, nullptr, {}).size() <= 10'000'000);

    const Film longer = made_up(100, 24, 64);  // 74,880 weights of attention a frame
    const Json coarse = film_data(longer, nullptr, 20'000'000);
    CHECK(coarse.at("probes").items()[0].at("attention").at("type").text() == "u8");
    const Json fewer = film_data(longer, nullptr, 5'000'000);
    CHECK(fewer.at("steps").items().size() <= 51);
    CHECK(fewer.at("steps").items().front().integer() == 0);
    CHECK(fewer.at("steps").items().back().integer() == 990);
    CHECK(fewer.write().size() <= 5'000'000);
}
