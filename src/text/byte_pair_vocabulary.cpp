#include <charconv>

#include "base/check.h"
#include "base/format.h"
#include "base/number.h"
#include "system/printable.h"
#include "system/unicode.h"
#include "text/byte_pair.h"
#include "text/utf8.h"
#include "text/vocabulary.h"

namespace zhuyi {
namespace {

constexpr std::string_view kUnused = "⟨unused⟩";
constexpr char32_t kBracket = 0x27E8;  // ⟨

std::string written(std::string_view bytes) {
    std::string text;
    for (std::string_view character : utf8::Characters(bytes))
        text += utf8::front(character).code == kBracket ? "\\u{27E8}" : escaped(character);
    return text;
}

// Reads one file; knows where it stands, so that every complaint does.
class Reader {
  public:
    Reader(std::string_view content, const std::string& origin) : rest_(content), origin_(origin) {}

    std::unique_ptr<Tokenizer> read();

  private:
    [[noreturn]] void refuse(const std::string& what) const {
        fail_english(format("%s:%td: %s", origin_.c_str(), number_, what.c_str()));
    }
    bool next_line() {
        if (rest_.empty()) return false;
        const std::size_t end = rest_.find('\n');
        ++number_;
        if (end == rest_.npos) refuse("the last line has no end: the file is cut short");
        line_ = rest_.substr(0, end);
        rest_.remove_prefix(end + 1);
        return true;
    }
    std::string_view take_field() {
        const std::size_t end = std::min(line_.find('\t'), line_.size());
        const std::string_view field = line_.substr(0, end);
        line_.remove_prefix(std::min(end + 1, line_.size()));
        return field;
    }
    Index natural(std::string_view field) const {
        Index value = -1;
        const char* end = field.data() + field.size();
        if (std::from_chars(field.data(), end, value).ptr != end || value < 0)
            refuse("expected a natural number, found " + in_quotes(field));
        return value;
    }
    std::string token_bytes(std::string_view field) const;
    std::string escape(std::string_view& field) const;

    std::string_view rest_, line_;
    const std::string& origin_;
    Index number_ = 0;
};

// What stands at the front of `field`, which begins with a backslash or a bracket; takes it off.
std::string Reader::escape(std::string_view& field) const {
    const bool bracket = field[0] != '\\';
    const std::string_view closing = bracket ? "⟩" : "}";
    std::size_t length = 2;
    if (bracket || field.starts_with("\\u{")) {
        const std::size_t end = field.find(closing);
        if (end == field.npos) refuse("the escape " + in_quotes(field) + " has no end");
        length = end + closing.size();
    }
    const std::string_view whole = field.substr(0, length);
    field.remove_prefix(std::min(length, field.size()));
    if (whole == "\\s") return " ";
    if (whole == "\\n") return "\n";
    if (whole == "\\t") return "\t";
    if (whole == "\\r") return "\r";
    if (whole == "\\\\") return "\\";
    if (length > 4) {
        const std::string_view digits = whole.substr(3, length - 3 - closing.size());
        unsigned code = 0x110000;
        const bool read =
            std::from_chars(digits.data(), digits.data() + digits.size(), code, 16).ptr ==
            digits.data() + digits.size();
        if (read && bracket && code < 256) return std::string(1, char(code));
        const bool character = code <= 0x10FFFF && (code < 0xD800 || code >= 0xE000);
        if (read && !bracket && character) return utf8::encode(code);
    }
    refuse("unknown escape " + in_quotes(whole));
}

std::string Reader::token_bytes(std::string_view field) const {
    if (field == kUnused || field == kEndOfTextName) return {};
    if (field.empty()) refuse("the token is empty");
    std::string bytes;
    while (!field.empty()) {
        if (field[0] == '\\' || utf8::front(field).code == kBracket) {
            bytes += escape(field);
            continue;
        }
        const CodePoint character = first_code_point(field);
        if (character.bytes == 0) refuse("a byte that is no UTF-8");
        bytes += field.substr(0, character.bytes);
        field.remove_prefix(character.bytes);
    }
    return bytes;
}

std::unique_ptr<Tokenizer> Reader::read() {
    next_line();
    const auto end_of_text = Token(natural(line_.substr(kBytePairs.size())));
    std::vector<std::string> tokens;
    std::vector<Index> counts;
    std::vector<BytePairTokenizer::Merge> merges;
    while (next_line()) {
        if (tokens.empty() && line_.starts_with('#')) continue;
        const std::string_view first = take_field(), second = take_field(), third = take_field();
        if (first == "merge") {
            merges.push_back({Token(natural(second)), Token(natural(third))});
            continue;
        }
        if (!merges.empty()) refuse("expected nothing but merges behind the first of them");
        if (natural(first) != std::ssize(tokens))
            refuse(format("expected id %td, found %s: ids count from 0 without a gap",
                          std::ssize(tokens), in_quotes(first).c_str()));
        // <|endoftext|> is a name in its own row only; elsewhere these are thirteen characters.
        tokens.push_back(second == kEndOfTextName && std::ssize(tokens) != end_of_text
                             ? std::string(second)
                             : token_bytes(second));
        counts.push_back(natural(third));
    }
    try {
        return std::make_unique<BytePairTokenizer>(std::move(tokens), merges, end_of_text,
                                                   std::move(counts));
    } catch (const Error& error) {
        fail_english(origin_ + ": " + error.what());
    }
}

}  // namespace

std::string BytePairTokenizer::vocabulary_file() const {
    std::string lines = std::string(kBytePairs) + std::to_string(end_of_text_) +
                        "\n# id, bytes, how often; \\s space, \\n newline, \\t tab, \\r carriage "
                        "return, \\\\ backslash, \\u{3000} any other\n# character that would not "
                        "be seen, ⟨E8⟩ a byte that is no whole character. Behind them the pairs "
                        "that are joined, the first first\n";
    for (Token token = 0; token < size(); ++token) {
        const std::string_view spelt = bytes(token);
        const std::string name = !spelt.empty()          ? written(spelt)
                                 : token == end_of_text_ ? std::string(kEndOfTextName)
                                                         : std::string(kUnused);
        lines += format("%d\t%s\t%td\n", token, name.c_str(), count(token));
    }
    for (const Merge& merge : merges_) lines += format("merge\t%d\t%d\n", merge.left, merge.right);
    return lines;
}

std::unique_ptr<Tokenizer> parse_byte_pairs(std::string_view content, const std::string& origin) {
    return Reader(content, origin).read();
}

}  // namespace zhuyi
