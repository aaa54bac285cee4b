#include "text/vocabulary_reader.h"

#include <charconv>

#include "base/check.h"
#include "system/printable.h"
#include "text/utf8.h"
#include "text/vocabulary.h"

namespace zhuyi {

void VocabularyReader::refuse(const std::string& complaint) const {
    fail({"%s:%td: %s", "%s:%td：%s"}, origin_, number_, complaint);
}

bool VocabularyReader::next_line() {
    if (rest_.empty()) return false;
    const std::size_t end = rest_.find('\n');
    ++number_;
    if (end == rest_.npos)
        refuse(say({"the last line has no end: the file is cut short",
                    "最后一行没有换行符：文件被截断了"}));
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return true;
}

VocabularyReader::Fields VocabularyReader::fields() const {
    const std::size_t first = line_.find('\t');
    const std::size_t second = first == line_.npos ? first : line_.find('\t', first + 1);
    if (second == line_.npos)
        refuse(say({"expected three fields (id, token, count) with a tab between them",
                    "应为三项（编号、token、次数），中间用制表符隔开"}));
    return {line_.substr(0, first), line_.substr(first + 1, second - first - 1),
            line_.substr(second + 1)};
}

Index VocabularyReader::natural(std::string_view field, const Words& what) const {
    Index value = -1;
    const char* const end = field.data() + field.size();
    const auto [stop, error] = std::from_chars(field.data(), end, value);
    if (error != std::errc() || stop != end || value < 0 || field[0] == '-')
        refuse(say({"the %s \"%s\" is not a natural number", "%s \"%s\" 不是自然数"}, what,
                   escaped(field.substr(0, 40))));
    return value;
}

void VocabularyReader::check_id(std::string_view field, Index expected) const {
    if (const Index id = natural(field, {"id", "编号"}); id != expected)
        refuse(say({"expected id %td, found %td: ids count from 0 without a gap",
                    "编号应为 %td，实际是 %td：编号从 0 开始，不能有空缺"},
                   expected, id));
}

char32_t VocabularyReader::take_character(std::string_view& field) const {
    if (field.empty()) refuse(say({"the token is empty", "token 是空的"}));
    if (field[0] == '\\') return take_escape(field);
    const utf8::Front found = utf8::front(field);
    if (found.finding != utf8::Finding::whole)
        refuse(say({"the byte 0x%02X %s", "字节 0x%02X %s"}, static_cast<unsigned char>(field[0]),
                   utf8::description(found.finding)));
    field.remove_prefix(std::size_t(found.length));
    return found.code;
}

char32_t VocabularyReader::take_escape(std::string_view& field) const {
    const std::string_view whole = field;
    constexpr std::string_view kLetters = "sntr\\", kMeaning = " \n\t\r\\";
    if (field.size() > 1 && kLetters.find(field[1]) != kLetters.npos) {
        field.remove_prefix(2);
        return char32_t(kMeaning[kLetters.find(whole[1])]);
    }
    unsigned code = 0x110000;
    if (const std::size_t end = field.find('}'); field.starts_with("\\u{") && end != field.npos) {
        const char *const first = field.data() + 3, *const last = field.data() + end;
        if (first == last || std::from_chars(first, last, code, 16).ptr != last) code = 0x110000;
        field.remove_prefix(end + 1);
    }
    if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
        refuse(say({"the escape %s is none of \\s \\n \\t \\r \\\\ \\u{hexadecimal number of a "
                    "character}",
                    "转义 %s 不是 \\s \\n \\t \\r \\\\ \\u{字符的十六进制码位} 中的一个"},
                   in_quotes(whole)));
    return code;
}

}  // namespace zhuyi
