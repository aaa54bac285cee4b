#include "run/loaded_run.h"

#include <doctest/doctest.h>

#include "formats/sheet_format.h"
#include "support/close.h"
#include "support/has.h"

using namespace zhuyi;

// 5 tokens spell 3 characters (one of them in three bytes); 4 tokens were predicted, all but the
// first, at 12 nats together: 12 / 4 = 3 nats per token, 3 · 5 / 3 = 5 nats per character.
TEST_CASE("score: from tokens to characters") {
    const Score score{"best.safetensors", 7, "诗.txt", true, {12, 4}, 5, 3};
    CHECK(score.evaluation.loss() == 3);
    CHECK(score.per_character() == 5);
    CHECK(close(score.bits(), 5 / 0.6931471805599453, 1e-12));
    CHECK(close(score.perplexity(), 148.4131591025766, 1e-9));
    const Sheet sheet = score_sheet(score);
    const Json json = parse_json(sheet_as_json(sheet), "score");
    CHECK(json.at("nats_per_character").number() == 5);
    CHECK(json.at("part").text() == "validation");
    CHECK(
        has(sheet_as_terminal(sheet, {}), "best.safetensors, step 7, validation part of 诗.txt\n"));
    const std::string chinese =
        in_chinese([&] { return sheet_as_terminal(score_sheet(score), {}); });
    CHECK(has(chinese, "best.safetensors，第 7 步，诗.txt 的验证集\n"));
    CHECK(has(chinese, "148.41  每字符：相当于每次在 148.4 个同样可能的字里猜\n"));
}

TEST_CASE("score: a file name from outside cannot steer the terminal") {
    const Score score{"best.safetensors", 7, "\x1b[2J", false, {12, 4}, 5, 3};
    const Sheet sheet = score_sheet(score);
    CHECK_FALSE(has(sheet_as_terminal(sheet, {}), "\x1b"));
    const Json json = parse_json(sheet_as_json(sheet), "score");
    CHECK(json.at("data").text() == "\x1b[2J");  // a program wants the name itself
}
