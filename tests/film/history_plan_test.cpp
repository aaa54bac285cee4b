#include "film/history_plan.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/check.h"
#include "film/config.h"
#include "model/config.h"
#include "model/parameters.h"
#include "text/byte_pair.h"
#include "text/tokenizer.h"
#include "train/config.h"

using namespace zhuyi;

namespace {

CharacterTokenizer tokenizer_of(std::string_view text) {
    const std::string_view texts[] = {text};
    return CharacterTokenizer::from_texts(texts, 1, 1);
}

GptConfig model() {
    GptConfig config;
    config.context = 64, config.channels = 32, config.heads = 2, config.layers = 2;
    return config;
}

TrainConfig steps(Index count) {
    TrainConfig config;
    config.steps = count;
    return config;
}

}  // namespace

TEST_CASE("film: where the steps are planned anew, later frames follow the newest plan") {
    const CharacterTokenizer tokenizer = tokenizer_of("天气很好我们走。");
    TrainConfig training = steps(100);
    training.plan = "0:100";
    HistoryPlan plan = plan_history({}, model(), training, tokenizer, {});
    CHECK(plan.steps == frame_steps(100, 60));
    const std::vector<Index> before = plan.steps;
    training.plan = "0:100, 50:4000", training.steps = 4000;
    plan.follow(plans_of(training));
    CHECK(plan.steps.back() == 4000);
    for (const Index step : before)
        if (step <= 50) CHECK(holds(plan.steps, step));
    for (const Index step : plan.steps) {
        const std::vector<Index> later = frame_steps(4000, 60);
        if (step > 50) CHECK(std::ranges::find(later, step) != later.end());
    }
    // Whoever knows both plans from the beginning records the same frames.
    const HistoryPlan known = plan_history({}, model(), training, tokenizer, {});
    CHECK(known.steps == plan.steps);
    CHECK(known.snapshot_steps == plan.snapshot_steps);
    CHECK(holds(known.snapshot_steps, 0));
    CHECK(holds(known.snapshot_steps, 4000));
}

TEST_CASE("film: frames are dense at first and even later") {
    CHECK(frame_steps(13, 60) == std::vector<Index>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13});
    const std::vector<Index> steps = frame_steps(2000, 60);
    CHECK(std::vector<Index>(steps.begin(), steps.begin() + 8) ==
          std::vector<Index>{0, 1, 2, 3, 5, 8, 13, 21});
    CHECK(steps.back() == 2000);
    CHECK(steps.size() <= 60);
    CHECK(steps.size() > 50);
}

TEST_CASE("film: any number of steps and frames gives rising steps from 0 to the end") {
    for (Index steps : {1, 2, 5, 60, 61, 1000, 123456})
        for (Index frames : {2, 3, 9, 60}) {
            CAPTURE(steps);
            CAPTURE(frames);
            const std::vector<Index> chosen = frame_steps(steps, frames);
            CHECK(chosen.front() == 0);
            CHECK(chosen.back() == steps);
            CHECK(std::ssize(chosen) <= frames);
            for (std::size_t i = 1; i < chosen.size(); ++i) CHECK(chosen[i - 1] < chosen[i]);
        }
}

TEST_CASE("film: six snapshots, dense at first like the frames") {
    const std::vector<Index> frames = frame_steps(2000, 60);
    const std::vector<Index> steps = snapshot_steps(frames, 6);
    REQUIRE(steps.size() == 6);
    const double shares[] = {0, 0.02, 0.08, 0.2, 0.45, 1};
    for (std::size_t i = 0; i < 6; ++i) {
        CHECK(std::ranges::binary_search(frames, steps[i]));
        CHECK(std::abs(double(steps[i]) - 2000 * shares[i]) <= 25);  // half of the even gap
    }
    CHECK(snapshot_steps(frames, 2) == std::vector<Index>{0, 2000});
    CHECK(snapshot_steps(frames, 1) == std::vector<Index>{2000});
    CHECK(snapshot_steps(frames, 0).empty());
    CHECK(snapshot_steps({0, 1, 2}, 6) == std::vector<Index>{0, 1, 2});  // none twice
}

TEST_CASE("film: snapshots together take at most 16 MB, and none are recorded where none fits") {
    HistoryConfig config;
    CHECK(snapshots_of(config, 1'333'333) == 6);
    CHECK(snapshots_of(config, 1'333'334) == 5);
    CHECK(snapshots_of(config, 8'000'000) == 1);
    CHECK(snapshots_of(config, 8'000'001) == 0);
    config.snapshots = 2;
    CHECK(snapshots_of(config, 1000) == 2);
    config.on = false;
    CHECK(snapshots_of(config, 1000) == 0);

    const auto tokenizer = tokenizer_of("小沈阳江西演唱会邀请了，");
    config = {};
    config.snapshots = 0;
    const HistoryPlan none = plan_history(config, model(), steps(100), tokenizer, {});
    CHECK(none.snapshot_steps.empty());
    for (const HistoryStream& stream : none.streams) CHECK(stream.name != "snapshot");
}

TEST_CASE("film: the course's sentences where the text has their characters") {
    const auto tokenizer = tokenizer_of("小沈阳江西演唱会邀请了，猫吃鱼。天气很好我们走");
    const HistoryPlan plan =
        plan_history({}, model(), steps(100), tokenizer, tokenizer.encode("天气很好我们走。"));
    REQUIRE(plan.sentences.size() == 3);
    CHECK(tokenizer.decode(plan.sentences[0]) == "小沈阳江西演唱会邀请了，");
    CHECK(tokenizer.decode(plan.sentences[1]) == "猫吃鱼");
    CHECK(tokenizer.decode(plan.sentences[2]) == "天气很好我们走");  // from the text itself
}

TEST_CASE("film: with byte pairs, the course's sentences that are not spelt in bytes") {
    const std::string_view texts[] = {"猫吃鱼。猫吃鱼。天气。天气", "Good fish. Good fish."};
    const BytePairTokenizer tokenizer = train_byte_pairs(texts, 257 + 20, 2);
    const HistoryPlan plan = plan_history({}, model(), steps(100), tokenizer,
                                          tokenizer.encode("天气很好。a bad cat.\n"));
    REQUIRE(plan.sentences.size() == 3);
    CHECK(tokenizer.decode(plan.sentences[0]) == "猫吃鱼");  // fewer tokens than characters
    CHECK(tokenizer.decode(plan.sentences[1]) == "天气很好");
    CHECK(tokenizer.decode(plan.sentences[2]) == "a bad cat");
}

TEST_CASE("film: a text without them is watched on its own sentences") {
    const auto tokenizer = tokenizer_of("To be, or not to be.\nThat is it.");
    const HistoryPlan plan = plan_history({}, model(), steps(100), tokenizer,
                                          tokenizer.encode("not to be. to be it.\n"));
    REQUIRE(plan.sentences.size() == 2);
    CHECK(tokenizer.decode(plan.sentences[0]) == "not to be");
    CHECK(tokenizer.decode(plan.sentences[1]) == "to be it");
}

TEST_CASE("film: own sentences and characters") {
    const auto tokenizer = tokenizer_of("春眠不觉晓处闻啼鸟");
    HistoryConfig config;
    config.sentences = " 春眠 |闻啼鸟";
    config.characters = "晓";
    config.common = 0;
    const HistoryPlan plan = plan_history(config, model(), steps(100), tokenizer, {});
    REQUIRE(plan.sentences.size() == 2);
    CHECK(tokenizer.decode(plan.sentences[1]) == "闻啼鸟");
    CHECK(plan.watched.size() == 6);

    config.characters = "龙";
    CHECK_THROWS_AS(plan_history(config, model(), steps(100), tokenizer, {}), UsageError);
    config.characters = "";
    config.sentences = "春眠不觉晓春眠不觉晓";
    GptConfig narrow = model();
    narrow.context = 8;
    CHECK_THROWS_AS(plan_history(config, narrow, steps(100), tokenizer, {}), UsageError);
}

TEST_CASE("film: a small budget leaves fewer frames, and always the first and the last") {
    const auto tokenizer = tokenizer_of("小沈阳江西演唱会邀请了，");
    GptConfig deep = model();
    deep.layers = 12, deep.heads = 8, deep.channels = 512;
    HistoryConfig config;
    CHECK(plan_history(config, deep, steps(5000), tokenizer, {}).steps.size() > 50);
    config.budget = 1;
    const HistoryPlan small = plan_history(config, deep, steps(5000), tokenizer, {});
    CHECK(small.steps.size() < 50);
    CHECK(small.steps.front() == 0);
    CHECK(small.steps.back() == 5000);
}
