#include "base/format.h"

#include <doctest/doctest.h>

#include "base/random.h"

using namespace zhuyi;

TEST_CASE("parse_number: decimal numbers and nothing else") {
    CHECK(parse_number("0.5") == 0.5);
    CHECK(parse_number("-3") == -3.0);
    CHECK(parse_number("+1e-4") == 1e-4);
    CHECK(parse_number(".5") == 0.5);
    CHECK(parse_number("5.") == 5.0);
    for (const char* text : {"", " 1", "1 ", "1e", "e5", ".", "-", "nan", "inf", "0x10", "1,5",
                             "1e999", "１", "1_000", "--1"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_number(text));
    }
    CHECK_FALSE(parse_number(std::string_view("1\0", 2)));
}

TEST_CASE("parse_integer: whole, and exact") {
    CHECK(parse_integer("300") == 300);
    CHECK(parse_integer("1e12") == 1000000000000);
    CHECK(parse_integer("9007199254740991") == (Index(1) << 53) - 1);
    for (const char* text :
         {"0.5", "1e-1", "9007199254740992", "9007199254740993", "1e300", "三百"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_integer(text));
    }
}

TEST_CASE("number_text: the shortest text that reads back as the same number") {
    CHECK(number_text(0.1) == "0.1");
    CHECK(number_text(300) == "300");
    CHECK(number_text(-0.0003) == "-0.0003");
    CHECK(number_text(1e-5) == "1e-05");
    CHECK(number_text(124439808) == "124439808");
    CHECK(number_text(1.0 / 3) == "0.3333333333333333");
    const Random random(1, Stream::sampling, 0);
    for (Index i = 0; i < 1000; ++i) {
        const double number = random.normal(i) * (i % 3 == 0 ? 1e-200 : i % 3 == 1 ? 1 : 1e20);
        CHECK(parse_number(number_text(number)) == number);
    }
}
