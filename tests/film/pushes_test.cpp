#include "film/pushes.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/check.h"
#include "base/grid.h"
#include "film/config.h"
#include "formats/sheet_format.h"
#include "support/close.h"
#include "support/has.h"
#include "support/recorded_training.h"

using namespace zhuyi;

namespace {

// Of token number w: what the places from `first` up to `end` have added up to.
Numbers added(const HistoryNumbers& moved, Index w, Index first, Index end, Index C) {
    Numbers sum(std::size_t(C), 0);
    for (Index k = first; k < end; ++k)
        for (Index c = 0; c < C; ++c)
            sum[std::size_t(c)] += moved[std::size_t((w * (kPushPlaces + 2) + k) * C + c)];
    return sum;
}

}  // namespace

TEST_CASE("pushes: the contributions of all contexts add up to ΔE, to 1e-4 of it") {
    const ScratchFolder folder;
    RecordedTraining recorded(folder, 60);
    recorded.run();
    const PushPlan plan = recorded.plan(60).pushes;
    REQUIRE(plan.tokens.size() == 4);  // 小 猫 吃 鱼
    Parameters first(recorded.parameters.table(), false);
    read_checkpoint(folder.path("first.safetensors"), first);
    const Grid before(first.tensor("embedding.token"));
    const Grid now(recorded.parameters.tensor("embedding.token"));
    for (Index w = 0; w < plan.tokens.count(); ++w) {
        Numbers moved = now.row_copy(plan.tokens[w]);
        for (std::size_t c = 0; c < moved.size(); ++c) moved[c] -= before.row(plan.tokens[w])[c];
        CAPTURE(w);
        CHECK(length(moved) > 0.05);
        CHECK(distance(recorded.pushes.moved(w).sum(), moved) < 1e-4 * length(moved));
        const History film = recorded.film();
        const Sheet sheet = push_sheet(film, recorded.tokenizer, plan.tokens[w], {});
        CHECK(
            close(sheet.table("contexts").row("Σ").number(4), length(moved), 1e-4 * length(moved)));
    }
}

TEST_CASE("pushes: after one step they are the gradients of lookup and output layer") {
    const ScratchFolder folder;
    RecordedTraining recorded(folder, 9);
    recorded.run();
    const History film = recorded.film();
    const Frame& frame = film.frames[1];
    REQUIRE(frame.step == 1);
    const Index C = recorded.config.channels;
    const HistoryNumbers moved = film.numbers(frame, "pushed.moved");
    const HistoryNumbers divisor = film.numbers(frame, "pushed.divisor");
    const CurvePoint& point = film.curve[0];
    // m̂ is the gradient after the first step, so a part of ΔE times -(√v̂ + ε) / η is one of it.
    const double rate =
        point.learning_rate * clip_scale(point.gradient_norm, recorded.training.clip);
    const PushPlan plan = recorded.plan(9).pushes;
    for (Index w = 0; w < std::ssize(plan.tokens); ++w) {
        const auto size = [&](Numbers part) {
            for (Index c = 0; c < C; ++c)
                part[std::size_t(c)] *= divisor[std::size_t(w * C + c)] / rate;
            return length(part);
        };
        const auto place = std::size_t(film.place_of(plan.tokens[std::size_t(w)]));
        CHECK(close(size(added(moved, w, 0, kOtherRead + 1, C)),
                    film.numbers(frame, "watched.lookup")[place], 1e-5, 1e-3));
        CHECK(close(size(added(moved, w, kFirstAnswer, kPushPlaces + 1, C)),
                    film.numbers(frame, "watched.head")[place], 1e-5, 1e-3));
    }
}

TEST_CASE("pushes: contexts that have a place are told apart") {
    const ScratchFolder folder;
    RecordedTraining recorded(folder, 9);
    recorded.run();
    const PushPlan plan = recorded.plan(9).pushes;
    for (Index w = 0; w < plan.tokens.count(); ++w) {
        // All tokens that stand before it have a place; at the start of a window it has none.
        CHECK(length(recorded.pushes.moved(w).moved(kOtherAnswer)) == 0);
        for (Index k = 0; k < kPushPlaces; ++k)
            if (plan.contexts[w][std::size_t(k)].kind == PushKind::none)
                CHECK(length(recorded.pushes.moved(w).moved(k)) == 0);
        CHECK(length(recorded.pushes.moved(w).moved(kFirstAnswer)) > 0);
        // After 小 sometimes another than 猫 comes; after 吃 it is always 鱼, so no guess is wrong.
        const bool wrong = plan.contexts[w][std::size_t(kFirstGuess)].times > 0;
        CHECK((length(recorded.pushes.moved(w).moved(kFirstGuess)) > 0) == wrong);
    }
}

TEST_CASE("pushes: the plan takes the most frequent contexts") {
    const CharacterTokenizer tokenizer = small_tokenizer();
    const std::vector<Token> text = tokenizer.encode("小猫吃鱼，小猫睡觉。小狗吃鱼，小猫吃鱼，");
    HistoryConfig config;
    config.why = "猫";
    const PushPlan plan = plan_pushes(config, tokenizer, {}, text);
    REQUIRE(plan.tokens.size() == 1);
    const auto& places = plan.contexts[0];
    const auto one = [&](std::string_view c) { return tokenizer.encode(c)[0]; };
    CHECK(places[0].kind == PushKind::read);
    CHECK(places[0].before == one("小"));
    CHECK(places[0].next == one("吃"));
    CHECK(places[0].times == 2);
    CHECK(places[1].next == one("睡"));
    CHECK(places[2].kind == PushKind::none);
    CHECK(places[std::size_t(kFirstAnswer)].times == 3);  // 小 → 猫
    CHECK(places[std::size_t(kFirstGuess)].times == 1);   // 小 → 狗
    // The most frequent ones of the sentences, without punctuation; none; and none without a text.
    config.why = "";
    const std::vector<std::vector<Token>> sentences{tokenizer.encode("小狗，吃鱼")};
    CHECK(plan_pushes(config, tokenizer, sentences, text).tokens.size() == 4);
    CHECK(plan_pushes(config, tokenizer, sentences, {}).tokens.empty());
    config.why = "off";
    CHECK(plan_pushes(config, tokenizer, sentences, text).tokens.empty());
    config.why = "0123456789abcdefg";
    CHECK_THROWS_WITH_AS(plan_pushes(config, tokenizer, {}, text), doctest::Contains("at most 16"),
                         UsageError);
    config.why = "虎";
    CHECK_THROWS_WITH_AS(plan_pushes(config, tokenizer, {}, text),
                         doctest::Contains("no token of its own"), UsageError);
}

TEST_CASE("pushes: the sheet says what pushed 猫, and towards whom") {
    const ScratchFolder folder;
    RecordedTraining recorded(folder, 60);
    recorded.run();
    const History film = recorded.film();
    const Token cat = recorded.tokenizer.token_of(U'猫'), dog = recorded.tokenizer.token_of(U'狗');
    const Sheet sheet = push_sheet(film, recorded.tokenizer, cat, {dog});
    const std::string text = sheet_as_terminal(sheet, {});
    CHECK(has(text, "小 [猫] → 吃"));
    CHECK(has(text, "小 → [猫]"));
    CHECK(has(text, "another came"));
    CHECK(has(text, "AdamW's normalisation"));
    CHECK(has(text, "towards 狗"));
    CHECK(has(in_chinese([&] {
                  return sheet_as_terminal(push_sheet(film, recorded.tokenizer, cat, {dog}), {});
              }),
              "权重衰减"));
    // What was not recorded is said, and how to record it.
    CHECK_THROWS_WITH_AS(push_sheet(film, recorded.tokenizer, dog, {}),
                         doctest::Contains("--history-why=狗"), UsageError);
}

TEST_CASE("pushes: a damaged state is refused") {
    const ScratchFolder folder;
    RecordedTraining recorded(folder, 9);
    CHECK_THROWS_WITH_AS(recorded.pushes.resume("Zm9v"), doctest::Contains("found 3"), Error);
    CHECK_THROWS_WITH_AS(recorded.pushes.resume("?"), doctest::Contains("history_why"), Error);
}

TEST_CASE("pushes: a frozen embedding is pushed by nobody, and that is said") {
    const ScratchFolder folder;
    RecordedTraining recorded(folder, 5, true, "embedding");
    recorded.run();
    CHECK(recorded.pushes.state().empty());
    CHECK_THROWS_WITH_AS(push_sheet(recorded.film(), recorded.tokenizer, 300, {}),
                         doctest::Contains("the embedding was frozen"), UsageError);
}
