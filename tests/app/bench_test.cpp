// zhuyi bench, as the program that is built. No time is asserted: only what is said about it, and
// that it adds up.
#include <doctest/doctest.h>

#include "formats/json.h"
#include "support/close.h"
#include "support/has.h"
#include "support/program.h"

using namespace zhuyi;

namespace {

Json bench(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"bench", "tiny", "--json", "--threads", "1"});
    const Outcome outcome = run_program(arguments);
    REQUIRE(outcome.code == 0);
    return parse_json(outcome.out, "bench");
}

}  // namespace

TEST_CASE("bench: the shape of its JSON, and numbers that agree with each other") {
    const Json found = bench({"--steps", "3", "--only-steps"});
    CHECK(found.at("threads").integer() == 1);
    CHECK(found.at("precision").text() == "fp32");
    CHECK(found.at("kernels").text() != "");
    CHECK(found.at("peak_gflops").number() > 0);
    CHECK(found.at("streaming_gbytes_per_second").is_null());

    REQUIRE(found.at("configurations").items().size() == 1);
    const Json& tiny = found.at("configurations").items()[0];
    const auto number = [&](const char* name) { return tiny.at(name).number(); };
    CHECK(tiny.at("name").text() == "tiny");
    CHECK(number("steps") == 3);
    CHECK(number("weights") == 17 * 16 + 8 * 16 + 2 * (12 * 16 * 16 + 13 * 16) + 2 * 16);
    CHECK(number("step_ms") >= number("least_ms"));
    // 16 rows, each multiplied with 12 C² a block and with V C, and C (T + 1) a block under the
    // mask
    const double flop = 16 * (6 * (2 * 12 * 256 + 17 * 16) + 6 * 2 * 16 * 9);
    CHECK(close(number("gflop"), 1e-9 * flop, 0, 1e-12));
    CHECK(close(number("gflops"), number("gflop") / (1e-3 * number("step_ms")), 0, 1e-9));
    CHECK(close(number("fraction_of_peak"), number("gflops") / number("peak_gflops"), 0, 1e-9));
    CHECK(close(number("tokens_per_second"), 16 / (1e-3 * number("step_ms")), 0, 1e-9));
    CHECK(number("memory_bytes") > 0);
    CHECK(tiny.at("generated_tokens_per_second").is_null());

    double forward = 0, update = 0;
    for (const Json& part : tiny.at("parts").items()) {
        if (part.at("phase").text() == "forward") forward += part.at("ms").number();
        if (part.at("phase").text() == "update") update += part.at("ms").number();
    }
    CHECK(forward > 0);
    CHECK(close(forward, number("forward_ms"), 0, 1e-9));
    CHECK(close(update, number("clip_ms") + number("adamw_ms"), 0, 1e-9));
}

TEST_CASE("bench: it trains as the trainer does, the same bits with every number of threads") {
    const auto fingerprint = [](const std::vector<std::string>& arguments) {
        return bench(arguments).at("configurations").items()[0].at("fingerprint").text();
    };
    const std::string one = fingerprint({"--steps", "3", "--only-steps"});
    CHECK(fingerprint({"--steps", "3", "--only-steps", "--threads", "3"}) == one);
    CHECK(fingerprint({"--steps", "4", "--only-steps"}) != one);
    CHECK(fingerprint({"--steps", "3", "--only-steps", "--precision", "bf16"}) != one);
}

TEST_CASE("bench: everything, for a person, in two languages") {
    const Outcome english = run_program({"bench", "tiny", "--steps", "2"});
    CHECK(english.code == 0);
    for (const char* part : {"fused multiply-adds", "W_Q W_K W_V", "16 × 16 × 48", "attention",
                             "AdamW moves", "of the peak", "fingerprint", "generation"}) {
        CAPTURE(part);
        CHECK(has(english.out, part));
    }
    const Outcome chinese = run_program({"bench", "tiny", "--steps", "2", "--lang", "zh"});
    CHECK(chinese.code == 0);
    for (const char* part : {"矩阵乘法", "前向", "反向", "峰值", "指纹", "生成"}) {
        CAPTURE(part);
        CHECK(has(chinese.out, part));
    }
}

TEST_CASE("bench: an unknown configuration is refused with the list, before anything is measured") {
    const Outcome outcome = run_program({"bench", "A", "Z"});
    CHECK(outcome.code == 2);
    CHECK(outcome.out == "");
    CHECK(has(outcome.err, "bench has no configuration \"Z\"; it has A, B, C, E"));
    CHECK(!has(outcome.err, "tiny"));
}
