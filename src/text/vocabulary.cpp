#include "text/vocabulary.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>

#include "base/check.h"
#include "base/format.h"
#include "base/utf8.h"
#include "system/input_file.h"
#include "system/printable.h"
#include "text/byte_pair.h"
#include "text/documents.h"

namespace zhuyi {

constexpr std::string_view kFirstLine = "# zhuyi vocabulary 1 characters";
constexpr std::uint64_t kMostBytes = 64 << 20;  // a line for each character of Unicode is shorter

// Blanks other than the plain space. (All other characters that are not seen have no width.)
constexpr char32_t kBlanks[] = {0xA0,   0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004,
                                0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200A, 0x2028,
                                0x2029, 0x202F, 0x205F, 0x2800, 0x3000, 0x3164};

static bool is_invisible(char32_t code, std::string_view bytes) {
    return display_width(bytes) == 0 ||
           std::find(std::begin(kBlanks), std::end(kBlanks), code) != std::end(kBlanks);
}

static std::string escaped_character(char32_t code, std::string_view bytes) {
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

static std::string byte_name(int byte) { return format("⟨%02X⟩", unsigned(byte)); }

// The 257 tokens that every vocabulary of characters begins with.
static void check_first_token(const VocabularyReader& reader, Index id, std::string_view token) {
    const std::string wanted = id == kEndOfText
                                   ? std::string(kEndOfTextName)
                                   : byte_name(int(id - CharacterTokenizer::kFirstByte));
    if (token != wanted)
        reader.refuse(say({"token %td must be %s, found %s", "token %td 应为 %s，实际是%s"}, id,
                          wanted, in_quotes(token)));
}

// The one character that a token of this kind of vocabulary is.
static char32_t only_character(const VocabularyReader& reader, std::string_view token) {
    std::string_view rest = token;
    const char32_t code = reader.take_character(rest);
    if (!rest.empty())
        reader.refuse(say({"a token of this kind of vocabulary is one character, this is %s",
                           "这种词表的 token 是一个字符，实际是%s"},
                          in_quotes(token)));
    if (code == CharacterTokenizer::kNeverAToken)
        reader.refuse(say({"U+2581 ▁ is written as bytes and cannot be a token",
                           "U+2581 ▁ 用字节表示，不能是 token"}));
    return code;
}

std::string escaped(std::string_view bytes) {
    std::string text;
    for (std::string_view character : utf8::Characters(bytes)) {
        const utf8::Front found = utf8::front(character);
        text += found.whole() ? escaped_character(found.code, character)
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
    VocabularyReader reader(content, origin);
    std::vector<CharacterTokenizer::Character> characters;
    std::vector<Index> first_counts;
    std::vector<Index> line_of_code;
    Index id = 0;
    while (reader.next_line()) {
        if (reader.number() == 1 && reader.line() != kFirstLine)
            reader.refuse(
                say({"expected \"%s\", found %s: this is no vocabulary that this version reads",
                     "应为“%s”，实际是%s：这不是本版本能读的词表"},
                    kFirstLine, in_quotes(reader.line())));
        if (id == 0 && reader.line().starts_with('#')) continue;
        const auto [first, token, third] = reader.fields();
        reader.check_id(first, id);
        const Index count = reader.natural(third, {"count", "次数"});
        if (id < CharacterTokenizer::kFirstCharacter) {
            check_first_token(reader, id, token);
            first_counts.push_back(count);
        } else {
            const char32_t code = only_character(reader, token);
            if (line_of_code.size() <= code) line_of_code.resize(std::size_t(code) + 1);
            if (line_of_code[code] > 0)
                reader.refuse(say({"%s already stands in line %td", "%s 已经在第 %td 行出现过"},
                                  token, line_of_code[code]));
            line_of_code[code] = reader.number();
            characters.push_back({code, count});
        }
        ++id;
    }
    if (id < CharacterTokenizer::kFirstCharacter)
        fail({"%s: expected <|endoftext|> and 256 byte tokens first, found %td tokens in all: the "
              "file is cut short or not a vocabulary",
              "%s：开头应有 <|endoftext|> 和 256 个字节 token，实际一共只有 %td 个：文件被截断，"
              "或者不是词表"},
             origin, id);
    return std::make_unique<CharacterTokenizer>(std::move(characters), std::move(first_counts));
}

std::unique_ptr<Tokenizer> read_tokenizer(const std::string& path) {
    std::error_code ignored;
    const std::string file = std::filesystem::is_directory(path, ignored)
                                 ? (std::filesystem::path(path) / "vocabulary.txt").string()
                                 : path;
    return parse_vocabulary(read_file(file, kMostBytes), file);
}

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
        refuse(say({"the %s \"%s\" is not a natural number", "%s“%s”不是自然数"}, what,
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
    if (!found.whole())
        refuse(say({"the byte 0x%02X %s", "字节 0x%02X %s"}, static_cast<unsigned char>(field[0]),
                   fault_of(field)));
    field.remove_prefix(found.length);
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
