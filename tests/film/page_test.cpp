#include "film/page_data.h"

#include <doctest/doctest.h>

#include "base/random.h"
#include "film/stream_list.h"
#include "model/parameters.h"
#include "system/embedded.h"

using namespace zhuyi;

namespace {

// A film of a model that was never trained: what matters here is its size.
Film made_up(Index frames, Index channels, Index sentence) {
    Film film;
    film.name = "</script>小";
    film.model.channels = channels, film.model.heads = 6, film.model.layers = 6;
    const std::string_view texts[] = {"小猫吃鱼"};
    film.tokenizer =
        std::make_unique<CharacterTokenizer>(CharacterTokenizer::from_texts(texts, 1, 1));
    film.model.vocabulary = film.tokenizer->size();
    const std::vector<Parameter> table = parameter_table(film.model);
    const Token cat = film.tokenizer->encode("猫")[0];

    History& history = film.history;
    const Recorded recorded{std::ssize(table), 2, channels, {sentence}, 6, 6};
    for (const Parameter& p : table) history.parameters.push_back(row_of(p));
    history.streams = stream_list(recorded);
    Frame frame;
    for (const HistoryStream& stream : history.streams) {
        const bool tokens = stream.element == "i32", text = stream.size() == kAnyLength;
        const std::string data = stream.encoded(
            std::vector<double>(std::size_t(text ? 3 : stream.size()), text     ? '<'
                                                                       : tokens ? double(cat)
                                                                                : 0.1));
        history.start.data.push_back(stream.once() ? data : "");
        frame.data.push_back(stream.once() ? "" : data);
    }
    complete(history);
    for (Index i = 0; i < frames; ++i) {
        frame.step = 10 * i;
        history.frames.push_back(frame);
    }
    return film;
}

Json data_of(const Film& film, std::span<const Film> others, std::size_t most) {
    std::string bytes;
    return film_data(film, others, most, bytes);
}

std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
    return count;
}

}  // namespace

TEST_CASE("page: everything it names is within, and nothing that the data say ends it") {
    const Film film = made_up(3, 24, 4);
    const std::string page = film_page(film, {}, {7});
    CHECK(count_of(page, "src=\"") == 0);
    CHECK(count_of(page, "rel=\"stylesheet\"") == 0);
    CHECK(count_of(page, "://") == 0);
    CHECK(count_of(page, "<html lang=\"en\">") == 1);
    CHECK(count_of(page, "http-equiv=\"refresh\" content=\"7\"") == 1);
    CHECK(count_of(page, "</script>") == count_of(page, "<script"));
    CHECK(count_of(page, "</html>") == 1);
}

TEST_CASE("page: no file holds what would end its raw string in the program") {
    CHECK(embedded_files().size() > 12);
    for (const EmbeddedFile& file : embedded_files()) {
        CAPTURE(file.path);
        CHECK(!file.content.empty());
        CHECK(file.content.find(")file\"") == file.content.npos);
        if (!file.path.ends_with(".js") && !file.path.ends_with(".css")) continue;
        CHECK(file.content.find("</script") == file.content.npos);
        CHECK(file.content.find("</style") == file.content.npos);
    }
}

TEST_CASE("page: data that fit are all there") {
    const Film film = made_up(5, 24, 4);
    const Json data = parse_json(data_of(film, {&film, 1}, 9'000'000).write(), "data");
    CHECK(data.at("steps").items().size() == 5);
    CHECK(data.at("streams").at("sentence.0.attention").at("type").text() == "u16");
    CHECK(data.at("others").items()[0].at("run").text() == film.name);
    CHECK(data.at("streams").at("sentence.0.attention").at("count").integer() == 5 * 36 * 10);
}

TEST_CASE("page: it says how the model knows positions, for what it draws follows from it") {
    for (const Position position : kPositions) {
        Film film = made_up(1, 24, 4);
        film.model.position = position;
        CHECK(data_of(film, {}, 9'000'000).at("model").at("position").text() ==
              encoding_of(position).name);
    }
}

TEST_CASE("page: a film that is too large is thinned, and its last frame stays") {
    const Film longer = made_up(100, 24, 64);  // 74,880 weights of attention a frame
    const Json coarse = data_of(longer, {}, 20'000'000);
    CHECK(coarse.at("streams").at("sentence.0.attention").at("type").text() == "u8");
    std::string all, bytes;
    const std::size_t whole =
        film_data(longer, {}, 20'000'000, all).write().size() + dense_text(all).size();
    const Json fewer = film_data(longer, {}, whole * 2 / 3, bytes);
    CHECK(fewer.at("steps").items().size() <= 51);
    CHECK(fewer.at("steps").items().front().integer() == 0);
    CHECK(fewer.at("steps").items().back().integer() == 990);
    CHECK(fewer.write().size() + dense_text(bytes).size() <= whole * 2 / 3);
}

TEST_CASE(
    "page: without some of the streams the others are shown, and what nobody knows is left out") {
    Film film = made_up(3, 24, 4);
    for (const char* name : {"watched.moved", "parameter.ratio", "sample"})
        for (HistoryStream& stream : film.history.streams)
            if (stream.name == name) stream.name = std::string("toy.") + name;
    const Json data = parse_json(data_of(film, {}, 9'000'000).write(), "data");
    CHECK(data.at("watched").items().empty());
    CHECK(data.at("streams").find("parameter.ratio") == nullptr);
    CHECK(data.at("streams").find("toy.parameter.ratio") == nullptr);
    CHECK(data.at("streams").find("parameter.norm") != nullptr);
    CHECK(data.at("parameters").items().size() == parameter_table(film.model).size());
}
