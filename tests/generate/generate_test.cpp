#include "generate/generate.h"

#include <doctest/doctest.h>

#include <cmath>

#include "model/parameters.h"
#include "support/close.h"
#include "support/tiny_gpt.h"

using namespace zhuyi;

namespace {

std::vector<Token> text_of(Gpt& model, const std::vector<Token>& prompt, Index tokens, bool cached,
                           std::uint64_t place = 0) {
    std::vector<Token> text;
    SamplerConfig sampler;
    sampler.temperature = 1;
    generate(model, prompt, sampler,
             {tokens, /*end_of_text=*/-1, place, 1, Precision::fp32, cached},
             [&](Index, Token token, In) {
                 text.push_back(token);
                 return true;
             });
    return text;
}

}  // namespace

TEST_CASE("generate: with and without the cache the same text, far beyond the context") {
    for (const Position position : kPositions) {
        GptConfig config = tiny_config();
        config.position = position;
        TinyGpt gpt(config);
        for (Index prompt : {1, 5, 8, 9, 30}) {
            const auto begin = some_tokens(prompt, 17);
            const auto cached = text_of(gpt.model, begin, 40, true);
            CHECK(cached.size() == 40);
            CHECK(cached == text_of(gpt.model, begin, 40, false));
        }
    }
}

TEST_CASE("generate: one seed, one text; another place, another text") {
    TinyGpt gpt;
    const auto begin = some_tokens(3, 17);
    const auto text = text_of(gpt.model, begin, 20, true);
    CHECK(text == text_of(gpt.model, begin, 20, true));
    CHECK(text != text_of(gpt.model, begin, 20, true, 1));
}

TEST_CASE("generate: texts written at once are those that would be written one by one") {
    TinyGpt gpt;
    const auto begin = some_tokens(3, 17);
    SamplerConfig sampler;
    sampler.temperature = 1;
    for (const bool cached : {true, false})
        for (const Index texts :
             {2, 4, 7}) {  // 7: beyond the few rows that have loops of their own
            std::vector<std::vector<Token>> written(static_cast<std::size_t>(texts));
            const Index count =
                generate(gpt.model, begin, sampler,
                         {30, /*end_of_text=*/-1, /*place=*/5, texts, Precision::fp32, cached},
                         [&](Index text, Token token, In) {
                             written[std::size_t(text)].push_back(token);
                             return true;
                         });
            CHECK(count == 30 * texts);
            for (Index text = 0; text < texts; ++text)
                CHECK(written[std::size_t(text)] ==
                      text_of(gpt.model, begin, 30, cached, std::uint64_t(5 + text)));
        }
}

TEST_CASE("generate: a text that ends leaves the others as they are") {
    TinyGpt gpt;
    const auto begin = some_tokens(3, 17);
    SamplerConfig sampler;
    sampler.temperature = 1;
    std::vector<std::vector<Token>> written(3);
    const Index count =
        generate(gpt.model, begin, sampler, {20, -1, 0, 3}, [&](Index text, Token token, In) {
            written[std::size_t(text)].push_back(token);
            return text != 1 || written[1].size() < 6;
        });
    CHECK(count == 20 + 5 + 20);
    CHECK(written[1].size() == 6);
    for (const std::size_t text : {0u, 2u})
        CHECK(written[text] == text_of(gpt.model, begin, 20, true, text));
}

TEST_CASE("generate: ends at the end of a text without giving that token out") {
    GptConfig config = tiny_config();
    TinyGpt gpt(config);
    SamplerConfig greedy;
    greedy.temperature = 0;
    const auto prompt = some_tokens(3, 17);
    std::vector<Token> text;
    const auto note = [&](Index, Token token, In) { return text.push_back(token), true; };
    generate(gpt.model, prompt, greedy, {20, -1}, note);
    const Token stop = text[2];
    const auto before = std::find(text.begin(), text.end(), stop) - text.begin();
    text.clear();
    CHECK(generate(gpt.model, prompt, greedy, {20, stop}, note) == before);
    CHECK(Index(text.size()) == before);
}

namespace {

// All scores of a text of its own making, greedy, and of those beside it
std::vector<Real> scores_of(Gpt& model, Precision precision, Index texts, bool cached) {
    SamplerConfig greedy;
    greedy.temperature = 0;
    std::vector<Real> scores;
    generate(model, some_tokens(3, 17), greedy, {12, -1, 0, texts, precision, cached},
             [&](Index text, Token, In row) {
                 if (text == texts - 1) scores.insert(scores.end(), row.begin(), row.end());
                 return true;
             });
    return scores;
}

}  // namespace

TEST_CASE("generate: laid out for writing, alone or beside others, the same bits") {
    for (const bool tied : {true, false})
        for (const Precision precision : {Precision::fp32, Precision::bf16}) {
            GptConfig config = tiny_config();
            config.tied = tied;
            TinyGpt gpt(config);
            const auto plain = scores_of(gpt.model, precision, 1, false);
            gpt.model.lay_out(precision);
            for (const bool cached : {true, false})
                for (const Index texts : {1, 2, 3, 4, 5})
                    CHECK(scores_of(gpt.model, precision, texts, cached) == plain);
        }
}

TEST_CASE("generate: strips of another precision are not taken") {
    TinyGpt gpt;
    const auto plain = scores_of(gpt.model, Precision::fp32, 1, true);
    gpt.model.lay_out(Precision::bf16);
    CHECK(scores_of(gpt.model, Precision::fp32, 1, true) == plain);
}

TEST_CASE("generate: bf16 moves the scores, and by little") {
    TinyGpt gpt;
    const auto scores = [&](Precision precision) {
        Reader reader(gpt.model, true, precision);
        const In found = reader.read(some_tokens(8, 17));
        return std::vector<Real>(found.begin(), found.end());
    };
    const auto exact = scores(Precision::fp32), rounded = scores(Precision::bf16);
    CHECK(exact != rounded);
    double largest = 0;
    for (const Real score : exact) largest = std::max(largest, std::abs(double(score)));
    for (std::size_t v = 0; v < exact.size(); ++v)
        CHECK(close(rounded[v], exact[v], 2e-2 * largest));
}
