#include "system/printable.h"
#include "text/documents.h"

#include <doctest/doctest.h>
#include <iconv.h>

#include <stdexcept>
#include <string>

#include "support/has.h"

using namespace zhuyi;
using namespace std::string_literals;

namespace {

constexpr const char* kText =
    "李华看见张明，他笑了。我去银行取钱，小猫在河边吃鱼。苹果很好吃，苹果股价上涨。\n"
    "小沈阳江西演唱会邀请了很多人，大家都来了。\n";

std::string converted(const char* encoding, std::string text) {
    std::string result(text.size() * 4 + 16, '\0');
    const iconv_t converter = iconv_open(encoding, "UTF-8");
    if (converter == iconv_t(-1)) throw std::runtime_error("this system cannot write "s + encoding);
    char* from = text.data();
    char* to = result.data();
    std::size_t left = text.size(), room = result.size();
    const std::size_t outcome = iconv(converter, &from, &left, &to, &room);
    iconv_close(converter);
    if (outcome == std::size_t(-1)) throw std::runtime_error("not in "s + encoding);
    result.resize(result.size() - room);
    return result;
}

}  // namespace

TEST_CASE("nothing is said about UTF-8") {
    CHECK(complaint_about_encoding(kText, "a.txt").empty());
    CHECK(complaint_about_encoding("", "a.txt").empty());
}

TEST_CASE("the first bad sequence is named by file, line, byte offset and byte") {
    const std::string text = "猫吃鱼\r\n第二行\n三\xE5\xB0。";
    const auto complaint = [&] { return complaint_about_encoding(text, "诗 集.txt"); };
    CHECK(complaint() ==
          "诗 集.txt, line 3, byte offset 24: 0xE5 begins a character whose next bytes are "
          "missing; expected UTF-8. "
          "Save the text as UTF-8, or mend that place in an editor.");
    CHECK(in_chinese(complaint) ==
          "诗 集.txt，第 3 行，字节偏移 24：0xE5 开始了一个字符，但缺少后续字节；应为 UTF-8。"
          "请把文本另存为 UTF-8，或在编辑器里改正这一处。");
    CHECK(complaint_about_encoding("a\rb\r\xFF", "m").find("line 3, byte offset 4: 0xFF") !=
          std::string::npos);
}

TEST_CASE("GB18030 is recognised, with the line that mends it, ready for a shell") {
    for (const char* encoding : {"GB2312", "GBK", "GB18030"}) {
        CAPTURE(encoding);
        const std::string message =
            complaint_about_encoding(converted(encoding, kText), "it's 诗.txt");
        CHECK(message.find("looks like GB18030") != message.npos);
        CHECK(message.ends_with(
            "iconv -f GB18030 -t UTF-8 'it'\\''s 诗.txt' > 'it'\\''s 诗.utf8.txt'"));
    }
    CHECK(complaint_about_encoding(converted("GB18030", "你好"), "/诗/a")
              .ends_with("> '/诗/a.utf8.txt'"));
    CHECK(looks_like_gb18030(converted("GB18030", "Readme in English first.\n"s + kText + "😀")));
}

TEST_CASE("what is not GB18030 is not called so") {
    CHECK_FALSE(looks_like_gb18030(kText));
    CHECK_FALSE(looks_like_gb18030(std::string(kText).insert(3, "\xFF")));  // a slip in UTF-8
    CHECK_FALSE(looks_like_gb18030(
        converted("BIG5", "小貓在河邊吃魚，我去銀行取錢，他笑了。大家都來了，蘋果很好吃。")));
    CHECK_FALSE(looks_like_gb18030(converted("ISO-8859-1", "très élevé, façon déjà vue, été")));
    std::string all;
    for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte * 167);
    CHECK_FALSE(looks_like_gb18030(all));
    std::string every_second_broken;
    for (int i = 0; i < 50; ++i) every_second_broken += "\xC4\xE3\xFF ";
    CHECK_FALSE(looks_like_gb18030(every_second_broken));
    CHECK_FALSE(looks_like_gb18030(""));
}

TEST_CASE("UTF-16 and UTF-32 are known by their byte order marks") {
    CHECK(complaint_about_encoding("\xFF\xFE"s + converted("UTF-16LE", kText), "a.txt")
              .ends_with("iconv -f UTF-16 -t UTF-8 'a.txt' > 'a.utf8.txt'"));
    CHECK(complaint_about_encoding("\xFE\xFF"s + converted("UTF-16BE", kText), "a.txt")
              .find("UTF-16") != std::string::npos);
    CHECK(complaint_about_encoding("\xFF\xFE\0\0"s + converted("UTF-32LE", kText), "a.txt")
              .find("-f UTF-32") != std::string::npos);
}

TEST_CASE("encoding: a word for the shell is in quotes only where it must be") {
    for (const char* plain : {"runs/诗", "../a-b_c.txt", "1.5%"}) CHECK(shell_word(plain) == plain);
    CHECK(shell_word("目录 😀") == "'目录 😀'");
    CHECK(shell_word("it's") == "'it'\\''s'");
    CHECK(shell_word("~") == "'~'");
    CHECK(shell_word("") == "''");
}
