#include "formats/bytes.h"

#include <doctest/doctest.h>

using namespace zhuyi;

TEST_CASE("base64: the test vectors of RFC 4648") {
    CHECK(base64("") == "");
    CHECK(base64("f") == "Zg==");
    CHECK(base64("fo") == "Zm8=");
    CHECK(base64("foo") == "Zm9v");
    CHECK(base64("foob") == "Zm9vYg==");
    CHECK(base64("fooba") == "Zm9vYmE=");
    CHECK(base64("foobar") == "Zm9vYmFy");
    CHECK(base64("\xFF\xFE") == "//4=");
}

TEST_CASE("base64: and back") {
    std::string bytes;
    for (int i = 0; i < 300; ++i) {
        CHECK(from_base64(base64(bytes)) == bytes);
        bytes += char(i * 37);
    }
    for (const char* bad : {"Zg", "Zg=", "Z===", "Zm9=v===", "Zm 9", "Z\x80==", "===="})
        CHECK(!from_base64(bad));
}
