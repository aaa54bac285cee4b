#include "formats/bytes.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace zhuyi;

TEST_CASE("half: numbers of sixteen bits round to the nearest, ties to even") {
    CHECK(half_of(1) == 0x3C00);
    CHECK(half_of(-2) == 0xC000);
    CHECK(half_of(65504) == 0x7BFF);
    CHECK(half_of(65519) == 0x7BFF);
    CHECK(half_of(65520) == 0x7C00);
    CHECK(half_of(1 + 0x1p-11f) == 0x3C00);      // a tie
    CHECK(half_of(1 + 3 * 0x1p-11f) == 0x3C02);  // a tie
    CHECK(half_of(0x1p-24f) == 1);
    CHECK(half_of(0x1p-25f) == 0);
    CHECK(half_of(-0.0f) == 0x8000);
    CHECK((half_of(std::nanf("")) & 0x7FFF) > 0x7C00);
    for (unsigned bits = 0; bits < 0x7C00; ++bits) {
        const float exact = from_half(std::uint16_t(bits));
        if (half_of(exact) != bits) CHECK(half_of(exact) == bits);
    }
    CHECK(from_half(0x7C00) == std::numeric_limits<float>::infinity());
}
