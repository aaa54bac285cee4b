#include "text/documents.h"

#include <doctest/doctest.h>

#include <string>

#include "base/random.h"
#include "base/utf8.h"

using namespace zhuyi;

TEST_CASE("a character in three bytes is released with the third") {
    TextStream stream;
    CHECK(stream.push("猫\xE5") == "猫");
    CHECK(stream.push("\xB0") == "");
    CHECK(stream.push("\x8F吃") == "小吃");
    CHECK(stream.finish() == "");
}

TEST_CASE("bytes that can become no character are shown, and what follows is not lost") {
    TextStream stream;
    CHECK(stream.push("\xE5") == "");
    CHECK(stream.push("鱼") == "\uFFFD鱼");
    CHECK(stream.push("\x80") == "\uFFFD");
    CHECK(stream.push("\xF0\x9F") == "");
    CHECK(stream.finish() == "\uFFFD\uFFFD");
    CHECK(stream.push("好") == "好");
}

TEST_CASE("however the bytes are cut, the same text comes out") {
    const std::string text = "小沈阳 😀 𠀀\xE5\xB0!\xED\xA0\x80é\xF0\x9F\x98";
    for (std::uint64_t trial = 0; trial < 200; ++trial) {
        const Random random(1, Stream::sampling, trial);
        TextStream stream;
        std::string shown;
        for (std::size_t at = 0, i = 0; at < text.size(); ++i) {
            const auto step = std::size_t(1 + random.below(4, Index(i)));
            shown += stream.push(std::string_view(text).substr(at, step));
            at += step;
        }
        CHECK(shown + stream.finish() == utf8::repaired(text));
    }
}
