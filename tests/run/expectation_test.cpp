#include "run/expectation.h"

#include <doctest/doctest.h>

#include <chrono>
#include <string>

#include "base/random.h"
#include "cost/plan.h"
#include "text/config.h"
#include "text/corpus.h"
#include "text/tokenized.h"

using namespace zhuyi;

namespace {

// Documents of a world in which each animal eats one thing.
std::string made_text(int documents) {
    const std::string eats[] = {"小猫吃鱼。", "小狗吃骨头。", "小兔吃萝卜。", "小羊吃青草。"};
    std::string text;
    for (int i = 0; i < documents; ++i) {
        const std::uint64_t drawn = mix(std::uint64_t(i));
        text += eats[drawn % 4] + eats[drawn / 4 % 4] + "\n\n";
    }
    return text;
}

std::optional<Pilot> pilot_on(const std::string& text) {
    const TextOptions options;
    const Corpus corpus = Corpus::from({{"text", text}}, options);
    const auto tokenizer = make_tokenizer(corpus, options);
    return learnt_by_pilot(tokenize(corpus, *tokenizer), *tokenizer);
}

}  // namespace

TEST_CASE("the pilot learns a text of four sentences nearly as far as it can be learnt") {
    const auto pilot = pilot_on(made_text(3000));
    REQUIRE(pilot);
    // Of the twelve characters of a document only the two names are open: 2 ln 4 / 12 = 0.23.
    CHECK(pilot->end < 0.35);
    CHECK(pilot->end > 0.18);
    CHECK(pilot->halfway > pilot->end);
    CHECK(pilot->end == pilot_on(made_text(3000))->end);
}

TEST_CASE("on a short text no pilot is trained") { CHECK_FALSE(pilot_on(made_text(300))); }

TEST_CASE("plan_within: what the pilot took is taken off the time, at most half of it") {
    RunConfig config;
    config.train.eval_every = 100;
    const Pace pace{0.1, 2, 5};
    using Clock = std::chrono::steady_clock;
    const auto steps_after = [&](int spent) {
        plan_within(config, pace, 60, Clock::now() - std::chrono::seconds(spent));
        return config.train.steps;
    };
    CHECK(steps_after(0) == pace.steps_within(60, config.train));
    CHECK(steps_after(20) <= pace.steps_within(40, config.train));
    CHECK(steps_after(20) > pace.steps_within(30, config.train));
    CHECK(steps_after(1000) == pace.steps_within(30, config.train));
    CHECK(config.train.plan == "0:" + std::to_string(config.train.steps));
}
