#include "system/printable.h"

#include <doctest/doctest.h>

using namespace zhuyi;

TEST_CASE("printable: text stays as it is, with its newlines and tabs") {
    CHECK(printable("小猫\t吃鱼。\n😀 é") == "小猫\t吃鱼。\n😀 é");
    CHECK(printable("") == "");
}

TEST_CASE("printable: a control character becomes its symbol, so no terminal obeys it") {
    CHECK(printable("\x1b[2J") == "␛[2J");
    CHECK(printable(std::string_view("\0\r\x7F", 3)) == "␀␍␡");
    CHECK(printable("\xC2\x9B") == "�");  // U+009B, which some terminals take for ESC [
}

TEST_CASE("printable: bytes that are no UTF-8 become � one by one") {
    CHECK(printable("小\xE5\xB0猫\xFF") == "小��猫�");
    CHECK(printable("\xC0\x80") == "��");
}

TEST_CASE("in_quotes: one line of a message, control characters and broken bytes as numbers") {
    CHECK(in_quotes("小猫") == "\"小猫\"");
    CHECK(in_quotes("\x1b[2J\n") == "\"\\x1b[2J\\x0a\"");
    CHECK(in_quotes("\xE5\xB0") == "\"\\xe5\\xb0\"");  // half of 小
    CHECK(in_quotes("\xC2\x85") == "\"\\xc2\\x85\"");  // U+0085, a newline of its own
    CHECK(in_quotes("") == "\"\"");
}

TEST_CASE("in_quotes: a long text is cut after 60 characters") {
    CHECK(in_quotes(std::string(60, 'a')) == "\"" + std::string(60, 'a') + "\"");
    CHECK(in_quotes(std::string(61, 'a')) == "\"" + std::string(60, 'a') + "…\"");
}
