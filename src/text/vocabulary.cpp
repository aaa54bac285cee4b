#include "text/vocabulary.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "base/check.h"
#include "base/format.h"
#include "system/input_file.h"
#include "system/printable.h"
#include "text/byte_pair.h"
#include "text/utf8.h"
#include "text/vocabulary_reader.h"

namespace zhuyi {

namespace {

constexpr std::string_view kFirstLine = "# zhuyi vocabulary 1 characters";
constexpr std::uint64_t kMostBytes = 64 << 20;  // a line for each character of Unicode is shorter

// Blanks other than the plain space. (All other characters that are not seen have no width.)
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

// The 257 tokens that every vocabulary of characters begins with.
void check_first_token(const VocabularyReader& reader, Index id, std::string_view token) {
    const std::string wanted = id == kEndOfText
                                   ? std::string(kEndOfTextName)
                                   : byte_name(int(id - CharacterTokenizer::kFirstByte));
    if (token != wanted)
        reader.refuse(say({"token %td must be %s, found %s", "token %td 应为 %s，实际是%s"}, id,
                          wanted, in_quotes(token)));
}

// The one character that a token of this kind of vocabulary is.
char32_t only_character(const VocabularyReader& reader, std::string_view token) {
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
    VocabularyReader reader(content, origin);
    std::vector<CharacterTokenizer::Character> characters;
    std::vector<Index> first_counts;
    std::vector<Index> line_of_code;
    Index id = 0;
    while (reader.next_line()) {
        if (reader.number() == 1 && reader.line() != kFirstLine)
            reader.refuse(
                say({"expected \"%s\", found %s: this is no vocabulary that this version reads",
                     "应为 \"%s\"，实际是%s：这不是本版本能读的词表"},
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

}  // namespace zhuyi
