// Recursive descent over RFC 8259's grammar; each function reads the rule that it is named after.
#include <algorithm>
#include <optional>

#include "base/check.h"
#include "base/format.h"
#include "base/utf8.h"
#include "formats/json.h"
#include "system/printable.h"

namespace zhuyi {
namespace {

constexpr int kDeepest = 64;
constexpr Words kEnd{"the end", "结尾"};

class Reader {
  public:
    Reader(std::string_view text, const std::string& origin) : text_(text), origin_(origin) {}

    Json document() {
        Json value = this->value(0);
        skip_space();
        if (at_ < text_.size()) fail_here(say(kEnd));
        return value;
    }

  private:
    [[noreturn]] void fail_here(const std::string& expected) const {
        fail({"%s: byte %zu: expected %s, found %s", "%s：第 %zu 字节：应为%s，实际是%s"}, origin_,
             at_, expected, at_ < text_.size() ? in_quotes(text_.substr(at_, 12)) : say(kEnd));
    }

    char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    bool take(char c) {
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    bool take(std::string_view word) {
        if (!text_.substr(at_).starts_with(word)) return false;
        at_ += word.size();
        return true;
    }
    void expect(char c) {
        if (!take(c)) fail_here(say({"'%c'", " '%c'"}, c));
    }
    void skip_space() {
        while (take(' ') || take('\n') || take('\r') || take('\t')) {
        }
    }

    Json value(int depth) {
        if (depth > kDeepest) fail_here(say({"at most %d levels", "不超过 %d 层的嵌套"}, kDeepest));
        skip_space();
        if (next() == '{') return object(depth);
        if (next() == '[') return array(depth);
        if (next() == '"') return string();
        if (take("true")) return true;
        if (take("false")) return false;
        if (take("null")) return {};
        if (next() == '-' || is_digit(next())) return number();
        fail_here(say({"a value", "一个值"}));
    }

    Json object(int depth) {
        expect('{');
        Json::Object members;
        skip_space();
        if (take('}')) return members;
        do {
            skip_space();
            if (next() != '"') fail_here(say({"a name in quotes", "引号中的名字"}));
            std::string name = string();
            skip_space();
            expect(':');
            members.emplace_back(std::move(name), value(depth + 1));
            skip_space();
        } while (take(','));
        expect('}');
        refuse_duplicates(members);
        return members;
    }

    // Two members of one name: one reader takes the first, another the last.
    void refuse_duplicates(const Json::Object& members) const {
        std::vector<std::string_view> names;
        for (const auto& member : members) names.push_back(member.first);
        std::sort(names.begin(), names.end());
        const auto twice = std::adjacent_find(names.begin(), names.end());
        if (twice != names.end())
            fail({"%s: byte %zu: this object has two members %s",
                  "%s：第 %zu 字节：这个对象里成员 %s 出现了两次"},
                 origin_, at_, in_quotes(*twice));
    }

    Json array(int depth) {
        expect('[');
        Json::Array items;
        skip_space();
        if (take(']')) return items;
        do {
            items.push_back(value(depth + 1));
            skip_space();
        } while (take(','));
        expect(']');
        return items;
    }

    static bool is_digit(char c) { return c >= '0' && c <= '9'; }
    void digits() {
        if (!is_digit(next())) fail_here(say({"a digit", "数字"}));
        while (is_digit(next())) ++at_;
    }

    Json number() {
        const std::size_t begin = at_;
        take('-');
        if (!take('0')) digits();  // no leading zeros
        if (take('.')) digits();
        if (take('e') || take('E')) {
            if (!take('-')) take('+');
            digits();
        }
        const std::optional<double> number = parse_number(text_.substr(begin, at_ - begin));
        if (number) return *number;
        at_ = begin;
        fail_here(say({"a number that fits a double", " double 能表示的数"}));
    }

    std::string string() {
        std::string value;
        expect('"');
        while (!take('"')) {
            if (take('\\')) {
                escape(value);
                continue;
            }
            const std::size_t from = at_;
            while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\' && character()) {
            }
            if (at_ == from)
                fail_here(say({"a character of UTF-8, or '\"'", " UTF-8 字符或 '\"'"}));
            value += text_.substr(from, at_ - from);
        }
        return value;
    }

    // Goes over one character. Returns false if it is a control character, or no UTF-8.
    bool character() {
        const auto byte = static_cast<unsigned char>(text_[at_]);
        if (byte >= 0x20 && byte < 0x80) return ++at_;  // ASCII: most of what is read
        const utf8::Front c = utf8::front(text_.substr(at_));
        if (!c.whole() || c.code < 0x20) return false;
        at_ += c.length;
        return true;
    }

    void escape(std::string& value) {
        static constexpr std::string_view kLetters = "\"\\/bfnrt", kMeaning = "\"\\/\b\f\n\r\t";
        if (take('u')) {
            value += utf8::encode(escaped_code_point());
            return;
        }
        const std::size_t which = at_ < text_.size() ? kLetters.find(next()) : kLetters.npos;
        if (which == kLetters.npos)
            fail_here(
                say({"an escape: one of \" \\ / b f n r t u", "转义：\" \\ / b f n r t u 之一"}));
        value += kMeaning[which];
        ++at_;
    }

    // After "\u". A character beyond U+FFFF is two escapes, a high and a low surrogate.
    char32_t escaped_code_point() {
        const char32_t first = hexadecimal();
        if (first < 0xD800 || first > 0xDFFF) return first;
        constexpr Words kPartner{"a surrogate's partner", "代理对的另一半"};
        if (first > 0xDBFF || !take("\\u")) fail_here(say(kPartner));
        const char32_t second = hexadecimal();
        if (second < 0xDC00 || second > 0xDFFF) fail_here(say(kPartner));
        return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
    }

    char32_t hexadecimal() {
        char32_t number = 0;
        for (int i = 0; i < 4; ++i, ++at_) {
            static constexpr std::string_view kDigits = "0123456789abcdef0123456789ABCDEF";
            const std::size_t digit = at_ < text_.size() ? kDigits.find(next()) : kDigits.npos;
            if (digit == kDigits.npos)
                fail_here(say({"four hexadecimal digits", "四位十六进制数"}));
            number = number * 16 + char32_t(digit % 16);
        }
        return number;
    }

    std::string_view text_;
    const std::string& origin_;
    std::size_t at_ = 0;
};

}  // namespace

Json parse_json(std::string_view text, const std::string& origin) {
    return Reader(text, origin).document();
}

}  // namespace zhuyi
