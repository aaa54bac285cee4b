#include "text/batches.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "base/check.h"
#include "text/tokenized.h"

using namespace zhuyi;

namespace {

std::vector<Token> counting(Index count) {
    std::vector<Token> tokens(static_cast<std::size_t>(count));
    std::iota(tokens.begin(), tokens.end(), Token(0));
    return tokens;
}

struct Drawn {
    std::vector<Token> inputs, targets;
    bool operator==(const Drawn&) const = default;
};

// B windows: those of one pass of a step.
Drawn draw(const std::vector<Token>& tokens, Index B, Index T, Index seed, Index step,
           Index pass = 0, WindowOrder order = WindowOrder::random) {
    Batches batches(tokens, {.batch = B, .accumulate = 2, .order = order, .seed = seed}, T);
    const Batch batch = batches.of_step(step)(pass);
    return {{batch.ids.begin(), batch.ids.end()}, {batch.targets.begin(), batch.targets.end()}};
}

}  // namespace

TEST_CASE("targets are the inputs, one further; rows are stretches of the text") {
    const std::vector<Token> tokens = counting(100);
    const Drawn drawn = draw(tokens, 8, 5, 1, 0);
    for (std::size_t i = 0; i < drawn.inputs.size(); ++i) {
        CHECK(drawn.targets[i] == drawn.inputs[i] + 1);
        if (i % 5 > 0) CHECK(drawn.inputs[i] == drawn.inputs[i - 1] + 1);
    }
}

TEST_CASE("a text of exactly T + 1 tokens has one window") {
    const Drawn drawn = draw(counting(5), 3, 4, 1, 9);
    CHECK(drawn.inputs == std::vector<Token>{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3});
    CHECK_THROWS_AS(draw(counting(4), 1, 4, 1, 0), Error);
}

TEST_CASE("a batch is a function of seed, step and micro-step") {
    const std::vector<Token> tokens = counting(100000);
    const Drawn once = draw(tokens, 4, 8, 7, 3, 1);
    CHECK(draw(tokens, 4, 8, 7, 3, 1) == once);
    CHECK_FALSE(draw(tokens, 4, 8, 8, 3, 1) == once);
    CHECK_FALSE(draw(tokens, 4, 8, 7, 4, 1) == once);
    CHECK_FALSE(draw(tokens, 4, 8, 7, 3, 2) == once);
}

TEST_CASE("every window is drawn, the first and the last too, about equally often") {
    const std::vector<Token> tokens = counting(24);
    std::vector<Index> starts(20);  // T = 4: windows begin at 0 … 19
    for (Index step = 0; step < 1000; ++step)
        for (Index b = 0; b < 4; ++b)
            ++starts[std::size_t(draw(tokens, 4, 4, 5, step).inputs[std::size_t(4 * b)])];
    // 200 each, deviation 13.8; five of them
    for (const Index count : starts) CHECK((count > 131 && count < 269));
}

TEST_CASE("shuffled: the whole text is read once, then once more in another order") {
    const std::vector<Token> tokens = counting(1005);  // T = 4: 250 windows in a reading
    const Drawn first = draw(tokens, 250, 4, 7, 0, 0, WindowOrder::shuffled);
    const Drawn second = draw(tokens, 250, 4, 7, 0, 1, WindowOrder::shuffled);
    CHECK_FALSE(first == second);
    CHECK_FALSE(first == draw(tokens, 250, 4, 8, 0, 0, WindowOrder::shuffled));
    for (const Drawn& reading : {first, second}) {
        int as_in_the_text = 0;
        for (std::size_t i = 4; i < 1000; i += 4)
            as_in_the_text += reading.inputs[i] == reading.inputs[i - 1] + 1;
        CHECK(as_in_the_text < 10);  // of 249; about one by chance
        std::vector<int> read(1004);
        for (std::size_t i = 0; i < 1000; ++i) {
            CHECK(reading.targets[i] == reading.inputs[i] + 1);
            ++read[std::size_t(reading.inputs[i])];
        }
        // 1000 of 1004 tokens; a window that begins near the end overlaps with one at the beginning
        CHECK(std::ranges::count(read, 0) <= 2 * 4);
        CHECK(std::ranges::max(read) <= 2);
    }
}

TEST_CASE(
    "shuffled: a batch does not depend on those drawn before, also over the end of a reading") {
    const std::vector<Token> tokens = counting(103);  // T = 5: 19 windows in a reading
    Batches batches(tokens, {.batch = 4, .order = WindowOrder::shuffled, .seed = 1}, 5);
    for (Index step = 0; step < 20; ++step) {
        const Batch batch = batches.of_step(step)(0);
        Batches anew(tokens, {.batch = 4, .order = WindowOrder::shuffled, .seed = 1}, 5);
        CHECK(std::ranges::equal(batch.ids, anew.of_step(step)(0).ids));
    }
    const std::vector<Token> shortest = counting(5);
    CHECK(draw(shortest, 2, 4, 1, 9, 0, WindowOrder::shuffled).inputs ==
          std::vector<Token>{0, 1, 2, 3, 0, 1, 2, 3});
}

TEST_CASE("validation: every token but the first is a target exactly once") {
    for (Index tokens = 0; tokens < 40; ++tokens)
        for (Index T = 1; T < 12; ++T) {
            std::vector<int> predicted(std::size_t(tokens), 0);
            const std::vector<Window> all = windows(tokens, T);
            for (const Window& window : all) {
                CHECK(window.length >= 1);
                CHECK(window.length <= T);
                if (&window != &all.back()) CHECK(window.length == T);
                for (Index t = 0; t < window.length; ++t)
                    ++predicted[std::size_t(window.begin + t + 1)];
            }
            for (std::size_t i = 0; i < predicted.size(); ++i) CHECK(predicted[i] == (i > 0));
        }
}

TEST_CASE("a text too short says how short, and which context would do") {
    TokenizedText text;
    text.train = counting(40);
    text.validation = counting(10);
    CHECK_NOTHROW(check_length(text, 39));
    CHECK_THROWS_WITH_AS(
        check_length(text, 64),
        doctest::Contains("context = 64 needs 65 tokens, the training part has 40"), Error);
    CHECK_THROWS_WITH_AS(check_length(text, 40), doctest::Contains("--context=39"), Error);
    text.validation = counting(1);
    CHECK_THROWS_WITH_AS(check_length(text, 8), doctest::Contains("1 for validation"), Error);
}
