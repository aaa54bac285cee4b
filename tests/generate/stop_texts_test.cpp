#include "generate/generate.h"

#include <doctest/doctest.h>

using namespace zhuyi;

using Stops = std::vector<std::string>;

TEST_CASE("stop: the text ends before it, however the pieces fall") {
    const Stops stop_stops{"。”", "再见"};
    StopTexts stop(stop_stops);
    CHECK(stop.push("他说：“好。") == "他说：“好");  // 。 may become 。”
    CHECK(stop.push("我走了") == "。我走了");
    CHECK(stop.push("，再") == "，");
    CHECK(!stop.reached());
    CHECK(stop.push("见！") == "");
    CHECK(stop.reached());
    CHECK(stop.push("还有") == "");
    CHECK(stop.finish() == "");
}

TEST_CASE("stop: the first of several ends it, and what was held back comes at the end") {
    const Stops stop_stops{"bc", "abcd"};
    StopTexts stop(stop_stops);
    CHECK(stop.push("xxa") == "xx");
    CHECK(stop.push("b") == "");
    CHECK(stop.finish() == "ab");
    const Stops again_stops{"bc", "abcd"};
    StopTexts again(again_stops);
    CHECK(again.push("xabcd") == "x");  // abcd begins sooner than bc
    CHECK(again.reached());
    const Stops none_stops{};
    StopTexts none(none_stops);
    CHECK(none.push("一切") == "一切");
    const Stops empty_stops{""};
    StopTexts empty(empty_stops);  // stops nothing
    CHECK(empty.push("一切") == "一切");
    CHECK(!empty.reached());
}
