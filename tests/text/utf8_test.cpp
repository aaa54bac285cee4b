#include "base/utf8.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/random.h"
#include "text/documents.h"

using namespace zhuyi;
using namespace std::string_literals;
using utf8::Finding;

TEST_CASE("小 is E5 B0 8F: the bits of U+5C0F in the pattern 1110xxxx 10xxxxxx 10xxxxxx") {
    // 5C0F = 0101 110000 001111
    const utf8::Front found = utf8::front("\xE5\xB0\x8F吃");
    CHECK(found.finding == Finding::whole);
    CHECK(found.code == 0x5C0F);
    CHECK(found.length == 3);
    CHECK(utf8::encode(0x5C0F) == "小");
}

TEST_CASE("characters come one by one, NUL among them") {
    const std::string text = "猫a\0é😀𠀀"s;
    std::vector<std::string> seen;
    for (std::string_view character : utf8::Characters(text)) seen.emplace_back(character);
    CHECK(seen == std::vector<std::string>{"猫", "a", "\0"s, "é", "😀", "𠀀"});
    CHECK(utf8::length(text) == 6);
    CHECK(utf8::length("") == 0);
    CHECK(utf8::prefix(text, 2) == "猫a");
    CHECK(utf8::prefix(text, 99) == text);
    CHECK(utf8::prefix(text, 0) == "");
}

TEST_CASE("every code point that is a character decodes to itself, every other is refused") {
    for (char32_t code = 0; code < 0x110000; ++code) {
        if (code >= 0xD800 && code < 0xE000) continue;
        const utf8::Front found = utf8::front(utf8::encode(code));
        if (found.finding == Finding::whole && found.code == code) continue;
        FAIL_CHECK("U+", code);
    }
}

TEST_CASE("each kind of broken bytes is named, with the offset of its first byte") {
    struct Example {
        std::string bytes;
        Index offset;
        Finding finding;
    };
    const std::vector<Example> examples = {
        {"吃\x80", 3, Finding::stray},
        {"\xBF", 0, Finding::stray},
        {"ab\xC0\x80", 2, Finding::overlong},  // NUL in two bytes
        {"\xC1\xBF", 0, Finding::overlong},
        {"\xE0\x9F\xBF", 0, Finding::overlong},                 // U+07FF in three
        {"\xF0\x8F\xBF\xBF", 0, Finding::overlong},             // U+FFFF in four
        {"猫\xED\xA0\xBD\xED\xB8\x80", 3, Finding::surrogate},  // 😀 in CESU-8
        {"\xED\xBF\xBF", 0, Finding::surrogate},
        {"\xF4\x90\x80\x80", 0, Finding::too_large},  // U+110000
        {"\xF5\x80\x80\x80", 0, Finding::too_large},
        {"x\xFE", 1, Finding::unused},
        {"\xFF\xFE", 0, Finding::unused},
        {"鱼\xE5\xB0", 3, Finding::cut},
        {"\xE5", 0, Finding::cut},
        {"\xF0\x9F\x98", 0, Finding::cut},
        {"\xE5\xB0吃", 0, Finding::broken},
        {"\xE5吃", 0, Finding::broken},
        {"\xF0\x9F\x98吃", 0, Finding::broken},
        {"abcdefghijklmnopqrstuvw\xC3(", 23, Finding::broken},  // after two strides of eight bytes
    };
    for (const Example& example : examples) {
        CAPTURE(example.bytes);
        const auto fault = utf8::first_error(example.bytes);
        REQUIRE(fault);
        CHECK(*fault == example.offset);
        const std::string_view rest = std::string_view(example.bytes).substr(std::size_t(*fault));
        CHECK(utf8::front(rest).finding == example.finding);
        CHECK(utf8::front(rest).length == 1);
        CHECK(std::string(fault_of(rest).english).size() > 10);
    }
}

TEST_CASE("the borders of what is refused are accepted") {
    for (const char* good : {"\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
                             "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"})
        CHECK_FALSE(utf8::first_error(good));
    CHECK_FALSE(utf8::first_error(""));
    CHECK_FALSE(utf8::first_error("\0\0"s));
}

TEST_CASE("random bytes: the pieces join to the whole, and what repair gives is UTF-8") {
    for (Index trial = 0; trial < 2000; ++trial) {
        const Random random(7, Stream::sampling, std::uint64_t(trial));
        std::string bytes;
        // Few values, chosen so that every rule is met often.
        constexpr unsigned char kBytes[] = {0x00, 'a',  0x80, 0x8F, 0x90, 0x9F, 0xA0,
                                            0xBF, 0xC0, 0xC2, 0xE0, 0xE5, 0xED, 0xEF,
                                            0xF0, 0xF1, 0xF4, 0xF5, 0xFF};
        for (Index i = 0; i < 12; ++i)
            bytes += static_cast<char>(kBytes[random.below(std::ssize(kBytes), i)]);
        std::string joined;
        bool all_whole = true;
        for (std::string_view piece : utf8::Characters(bytes)) {
            joined += piece;
            all_whole = all_whole && utf8::front(piece).finding == Finding::whole;
        }
        CHECK(joined == bytes);
        CHECK(all_whole == !utf8::first_error(bytes));
        CHECK_FALSE(utf8::first_error(utf8::repaired(bytes)));
    }
}

TEST_CASE("one replacement character stands for each byte that belongs to none") {
    CHECK(utf8::repaired("猫\xE5\xB0吃") == "猫\uFFFD\uFFFD吃");
}
