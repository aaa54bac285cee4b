#include "system/printable.h"

#include <doctest/doctest.h>

using namespace zhuyi;

TEST_CASE("printable: a name stays as it is, but on one line and from left to right") {
    CHECK(printable("小猫 吃鱼。😀 é") == "小猫 吃鱼。😀 é");
    CHECK(printable("") == "");
    CHECK(printable("run\nforged row\t") == "run␊forged row␉");
    CHECK(printable("a\u202Eb\u2066c\u200Fd\u2028e") == "a�b�c�d�e");
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

TEST_CASE("without_controls: what a terminal would obey goes, all else stays byte for byte") {
    CHECK(without_controls("小猫\t吃鱼。\n\xFF") == "小猫\t吃鱼。\n\xFF");
    CHECK(without_controls("\x1b[2J\r\x7F\xC2\x9B") == "␛[2J␍␡�");
    CHECK(without_controls("\x1b[38;5;7m红\x1b[0m") == "␛[38;5;7m红␛[0m");
    CHECK(without_controls("\x1b[38;5;7m红\x1b[0m\x1b[2J", true) == "\x1b[38;5;7m红\x1b[0m␛[2J");
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
