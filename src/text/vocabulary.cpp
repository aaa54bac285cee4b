#include "text/vocabulary.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>

#include "base/check.h"
#include "base/format.h"
#include "system/input_file.h"
#include "system/terminal.h"
#include "text/byte_pair.h"
#include "text/utf8.h"

namespace zhuyi {

namespace {

constexpr std::string_view kFirstLine = "# zhuyi vocabulary 1 characters";
constexpr std::uint64_t kMostBytes = 64 << 20;  // a line for each character of Unicode is shorter

// Blanks other than the plain space; all other characters that leave no mark have no width.
constexpr char32_t kBlanks[] = {0xA0,   0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004,
                                0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200A, 0x2028,
                                0x2029, 0x202F, 0x205F, 0x2800, 0x3000, 0x3164};

bool is_invisible(char32_t code, std::string_view bytes) {
    return display_width(bytes) == 0 ||
           std::find(std::begin(kBlanks), std::end(kBlanks), code) != std::end(kBlanks);
}

std::string escaped_character(char32_t code, std::string_view bytes) {
    switch (code) {
        case ' ':
            return "\\s";
        case '\n':
            return "\\n";
        case '\t':
            return "\\t";
        case '\r':
            return "\\r";
        case '\\':
            return "\\\\";
        default:
            break;
    }
    return is_invisible(code, bytes) ? format("\\u{%X}", unsigned(code)) : std::string(bytes);
}

std::string byte_name(int byte) { return format("⟨%02X⟩", unsigned(byte)); }

// One line under inspection: knows where it stands, so that every complaint does.
struct Line {
    std::string_view text;
    Index number;
    const std::string& origin;

    [[noreturn]] void refuse(const std::string& complaint) const {
        fail_english(format("%s:%td: %s", origin.c_str(), number, complaint.c_str()));
    }

    Index natural(std::string_view field, const char* what) const {
        Index value = -1;
        const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
        if (error != std::errc() || end != field.data() + field.size() || value < 0 ||
            field[0] == '-')
            refuse(format("the %s \"%s\" is not a natural number", what,
                          escaped(field.substr(0, 40)).c_str()));
        return value;
    }

    char32_t character(std::string_view field) const {
        if (field.empty()) refuse("the token is empty");
        if (field[0] == '\\') return escape(field);
        const utf8::Front found = utf8::front(field);
        if (found.finding != utf8::Finding::whole)
            refuse(format("the byte 0x%02X %s", unsigned(static_cast<unsigned char>(field[0])),
                          utf8::description(found.finding)));
        if (std::size_t(found.length) != field.size())
            refuse(format("a token of this kind of vocabulary is one character, this is \"%s\"",
                          escaped(field.substr(0, 40)).c_str()));
        return found.code;
    }

    char32_t escape(std::string_view field) const {
        if (field == "\\s") return ' ';
        if (field == "\\n") return '\n';
        if (field == "\\t") return '\t';
        if (field == "\\r") return '\r';
        if (field == "\\\\") return '\\';
        unsigned code = 0x110000;
        if (field.size() > 4 && field.substr(0, 3) == "\\u{" && field.back() == '}')
            if (const char* last = field.data() + field.size() - 1;
                std::from_chars(field.data() + 3, last, code, 16).ptr != last)
                code = 0x110000;
        if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
            refuse(format(
                "the escape \"%s\" is none of \\s \\n \\t \\r \\\\ \\u{hexadecimal number of a "
                "character}",
                utf8::repaired(field.substr(0, 40)).c_str()));
        return code;
    }
};

struct Entry {
    std::string_view token;
    Index count;
};

// id TAB token TAB count
Entry fields(const Line& line, Index expected_id) {
    const std::size_t first = line.text.find('\t');
    const std::size_t second = first == line.text.npos ? first : line.text.find('\t', first + 1);
    if (second == line.text.npos)
        line.refuse("expected id, token and count with a tab between them");
    const Index id = line.natural(line.text.substr(0, first), "id");
    if (id != expected_id)
        line.refuse(
            format("expected id %td, found %td: ids count from 0 without a gap", expected_id, id));
    return {line.text.substr(first + 1, second - first - 1),
            line.natural(line.text.substr(second + 1), "count")};
}

// The 257 tokens that every vocabulary of characters begins with.
void check_first_token(const Line& line, Index id, std::string_view token) {
    const std::string wanted = id == kEndOfText
                                   ? std::string(kEndOfTextName)
                                   : byte_name(int(id - CharacterTokenizer::kFirstByte));
    if (token != wanted)
        line.refuse(format("token %td must be %s, found \"%s\"", id, wanted.c_str(),
                           utf8::repaired(token.substr(0, 40)).c_str()));
}

}  // namespace

std::string escaped(std::string_view bytes) {
    std::string text;
    for (std::string_view character : utf8::Characters(bytes)) {
        const utf8::Front found = utf8::front(character);
        text += found.finding == utf8::Finding::whole
                    ? escaped_character(found.code, character)
                    : byte_name(static_cast<unsigned char>(character[0]));
    }
    return text;
}

std::string vocabulary_lines(const Tokenizer& tokenizer, const char* kind) {
    std::string lines = format("# zhuyi vocabulary 1 %s\n", kind);
    lines +=
        "# id, token, how often it stands in the training text. \\s space, \\n newline, \\t tab, "
        "\\r carriage return, \\\\ backslash,\n# \\u{3000} any other character that would not be "
        "seen; ⟨E8⟩ one byte of a character that has no token\n";
    for (Token token = 0; token < tokenizer.size(); ++token) {
        const bool byte =
            token >= CharacterTokenizer::kFirstByte && token < CharacterTokenizer::kFirstCharacter;
        const std::string name =
            byte ? byte_name(token - CharacterTokenizer::kFirstByte) : tokenizer.name(token);
        lines += format("%d\t%s\t%td\n", token, name.c_str(), tokenizer.count(token));
    }
    return lines;
}

std::unique_ptr<Tokenizer> parse_vocabulary(std::string_view content, const std::string& origin) {
    if (content.starts_with(kBytePairs)) return parse_byte_pairs(content, origin);
    std::vector<CharacterTokenizer::Character> characters;
    std::vector<Index> first_counts;
    std::vector<Index> line_of_code;
    Index id = 0, number = 0;
    while (!content.empty()) {
        const std::size_t end = content.find('\n');
        const Line line{content.substr(0, end), ++number, origin};
        if (end == content.npos) line.refuse("the last line has no end: the file is cut short");
        content.remove_prefix(end + 1);
        if (number == 1 && line.text != kFirstLine)
            line.refuse(format(
                "expected \"%s\", found \"%s\": this is no vocabulary that this version "
                "reads",
                std::string(kFirstLine).c_str(), utf8::repaired(line.text.substr(0, 60)).c_str()));
        if (id == 0 && line.text.starts_with('#')) continue;
        const Entry entry = fields(line, id);
        if (id < CharacterTokenizer::kFirstCharacter) {
            check_first_token(line, id, entry.token);
            first_counts.push_back(entry.count);
        } else {
            const char32_t code = line.character(entry.token);
            if (code == CharacterTokenizer::kNeverAToken)
                line.refuse("U+2581 ▁ is written as bytes and cannot be a token");
            if (line_of_code.size() <= code) line_of_code.resize(std::size_t(code) + 1);
            if (line_of_code[code] > 0)
                line.refuse(format("%s already stands in line %td",
                                   std::string(entry.token).c_str(), line_of_code[code]));
            line_of_code[code] = number;
            characters.push_back({code, entry.count});
        }
        ++id;
    }
    if (id < CharacterTokenizer::kFirstCharacter)
        fail_english(format(
            "%s: expected <|endoftext|> and 256 byte tokens first, found %td tokens in all: the "
            "file is cut short or not a vocabulary",
            origin.c_str(), id));
    return std::make_unique<CharacterTokenizer>(std::move(characters), std::move(first_counts));
}

std::unique_ptr<Tokenizer> read_tokenizer(const std::string& path) {
    std::error_code ignored;
    const std::string file = std::filesystem::is_directory(path, ignored)
                                 ? (std::filesystem::path(path) / "vocabulary.txt").string()
                                 : path;
    return parse_vocabulary(read_file(file, kMostBytes), file);
}

}  // namespace zhuyi
