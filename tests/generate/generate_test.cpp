#include "generate/generate.h"

#include <doctest/doctest.h>

#include "model/parameters.h"
#include "support/close.h"
#include "support/tiny_gpt.h"

using namespace zhuyi;

namespace {

std::vector<Token> text_of(Gpt& model, const std::vector<Token>& prompt, Index tokens,
                           Reader::Cache cache, std::uint64_t place = 0) {
    std::vector<Token> text;
    SamplerConfig sampler;
    sampler.temperature = 1;
    generate(
        model, prompt, sampler, {tokens, /*end_of_text=*/-1, place},
        [&](Index, Token token) {
            text.push_back(token);
            return true;
        },
        cache);
    return text;
}

}  // namespace

TEST_CASE("generate: with and without the cache the same text, far beyond the context") {
    for (const Position position : {Position::learned, Position::sinusoidal, Position::rotary}) {
        GptConfig config = tiny_config();
        config.position = position;
        TinyGpt gpt(config);
        for (Index prompt : {1, 5, 8, 9, 30}) {
            const auto begin = some_tokens(prompt, 17);
            const auto cached = text_of(gpt.model, begin, 40, Reader::Cache::on);
            CHECK(cached.size() == 40);
            CHECK(cached == text_of(gpt.model, begin, 40, Reader::Cache::off));
        }
    }
}

TEST_CASE("generate: one seed, one text; another place, another text") {
    TinyGpt gpt;
    const auto begin = some_tokens(3, 17);
    const auto text = text_of(gpt.model, begin, 20, Reader::Cache::on);
    CHECK(text == text_of(gpt.model, begin, 20, Reader::Cache::on));
    CHECK(text != text_of(gpt.model, begin, 20, Reader::Cache::on, 1));
}

TEST_CASE("generate: texts written at once are those that would be written one by one") {
    TinyGpt gpt;
    const auto begin = some_tokens(3, 17);
    SamplerConfig sampler;
    sampler.temperature = 1;
    for (const Reader::Cache cache : {Reader::Cache::on, Reader::Cache::off})
        for (const Index texts :
             {2, 4, 7}) {  // 7: beyond the few rows that have loops of their own
            std::vector<std::vector<Token>> written(static_cast<std::size_t>(texts));
            const Index drawn = generate(
                gpt.model, begin, sampler, {30, /*end_of_text=*/-1, /*place=*/5, texts},
                [&](Index text, Token token) {
                    written[std::size_t(text)].push_back(token);
                    return true;
                },
                cache);
            CHECK(drawn == 30 * texts);
            for (Index text = 0; text < texts; ++text)
                CHECK(written[std::size_t(text)] ==
                      text_of(gpt.model, begin, 30, cache, std::uint64_t(5 + text)));
        }
}

TEST_CASE("generate: a text that ends leaves the others as they are") {
    TinyGpt gpt;
    const auto begin = some_tokens(3, 17);
    SamplerConfig sampler;
    sampler.temperature = 1;
    std::vector<std::vector<Token>> written(3);
    const Index drawn =
        generate(gpt.model, begin, sampler, {20, -1, 0, 3}, [&](Index text, Token token) {
            written[std::size_t(text)].push_back(token);
            return text != 1 || written[1].size() < 6;
        });
    CHECK(drawn == 20 + 5 + 20);
    CHECK(written[1].size() == 6);
    for (const std::size_t text : {0u, 2u})
        CHECK(written[text] == text_of(gpt.model, begin, 20, Reader::Cache::on, text));
}

TEST_CASE("generate: ends at the end of a text without giving that token out") {
    GptConfig config = tiny_config();
    TinyGpt gpt(config);
    SamplerConfig greedy;
    greedy.temperature = 0;
    const auto prompt = some_tokens(3, 17);
    std::vector<Token> text;
    const auto note = [&](Index, Token token) { return text.push_back(token), true; };
    generate(gpt.model, prompt, greedy, {20, -1}, note);
    const Token stop = text[2];
    const auto before = std::find(text.begin(), text.end(), stop) - text.begin();
    text.clear();
    CHECK(generate(gpt.model, prompt, greedy, {20, stop}, note) == before);
    CHECK(Index(text.size()) == before);
}

// Scores ln 1, ln 2, ln 5 are probabilities 1/8, 2/8, 5/8.
TEST_CASE("sampler: temperature, top-k and top-p by pencil") {
    const std::vector<Real> logits{0, Real(0.6931471805599453), Real(1.6094379124341003)};
    SamplerConfig c;
    c.temperature = 1;
    auto all = candidates(logits, c);
    REQUIRE(all.size() == 3);
    CHECK(all[0].token == 2);
    CHECK(close(all[0].probability, 0.625, 1e-7));
    CHECK(close(all[2].probability, 0.125, 1e-7));

    c.temperature = 0.5;  // squares: 1 + 4 + 25
    CHECK(close(candidates(logits, c)[0].probability, 25.0 / 30, 1e-7));

    c.temperature = 1, c.top_k = 2;  // 2/7, 5/7
    CHECK(close(candidates(logits, c)[1].probability, 2.0 / 7, 1e-7));

    c.top_k = 0, c.top_p = 0.6;  // the first alone reaches it
    CHECK(candidates(logits, c).size() == 1);
    c.top_p = 0.7;
    CHECK(candidates(logits, c).size() == 2);

    c.temperature = 0;
    CHECK(candidates(logits, c)[0].token == 2);
    CHECK(candidates(logits, c)[0].probability == 1);
}

TEST_CASE("sampler: equal scores go to the smaller token, and a draw lands in its share") {
    const std::vector<Real> logits{1, 1, 1, 1};
    SamplerConfig c;
    c.temperature = 1, c.top_k = 2;
    const auto two = candidates(logits, c);
    CHECK(two[0].token == 0);
    CHECK(two[1].token == 1);
    CHECK(pick(two, 0.49) == 0);
    CHECK(pick(two, 0.51) == 1);
    CHECK(pick(two, 0.9999999999999999) == 1);
}
