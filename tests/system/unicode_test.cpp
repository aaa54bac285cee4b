#include "system/printable.h"

#include <doctest/doctest.h>

using namespace zhuyi;

TEST_CASE("code points: 小 is U+5C0F and E5 B0 8F") {
    const CodePoint c = first_code_point("\xE5\xB0\x8F沈阳");
    CHECK(c.value == 0x5C0F);
    CHECK(c.bytes == 3);
}

TEST_CASE("code points: every one survives writing and reading") {
    for (char32_t value = 0; value <= 0x10FFFF; value += value < 0x3000 ? 1 : 0x3D) {
        if (value >= 0xD800 && value <= 0xDFFF) continue;
        std::string text;
        append_code_point(text, value);
        const CodePoint read = first_code_point(text);
        REQUIRE(read.value == value);
        REQUIRE(read.bytes == text.size());
    }
}

TEST_CASE("code points: what the standard forbids is no character") {
    for (const char* bytes :
         {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xED\xBF\xBF",
          "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xE5\xB0", "\xE5",
          "\xC3(", "\xF0\x9F\x98"}) {
        CAPTURE(bytes);
        CHECK(first_code_point(bytes).bytes == 0);
    }
    CHECK(first_code_point("").bytes == 0);
    CHECK(first_code_point(std::string_view("\0", 1)).bytes == 1);
}
