#include <charconv>

#include "base/check.h"
#include "base/format.h"
#include "system/printable.h"
#include "text/byte_pair.h"
#include "text/utf8.h"
#include "text/vocabulary.h"
#include "text/vocabulary_reader.h"

namespace zhuyi {
namespace {

constexpr std::string_view kUnused = "⟨unused⟩";
constexpr std::string_view kOpen = "⟨", kClose = "⟩";

std::string written(std::string_view bytes) {
    std::string text;
    for (std::string_view character : utf8::Characters(bytes))
        text += character == kOpen ? "\\u{27E8}" : escaped(character);
    return text;
}

// ⟨E5⟩ at the front of the field is the byte E5; takes it off.
char take_byte(const VocabularyReader& reader, std::string_view& field) {
    const std::size_t end = field.find(kClose);
    unsigned byte = 256;
    if (end != field.npos) {
        const char *const first = field.data() + kOpen.size(), *const last = field.data() + end;
        if (std::from_chars(first, last, byte, 16).ptr != last) byte = 256;
    }
    if (byte > 255)
        reader.refuse(say({"expected a byte like ⟨E5⟩, found %s", "应为 ⟨E5⟩ 这样的字节，实际是%s"},
                          in_quotes(field)));
    field.remove_prefix(end + kClose.size());
    return char(byte);
}

std::string token_bytes(const VocabularyReader& reader, std::string_view field) {
    if (field == kUnused || field == kEndOfTextName) return {};
    std::string bytes;
    do {
        if (field.starts_with(kOpen))
            bytes += take_byte(reader, field);
        else
            append_code_point(bytes, reader.take_character(field));
    } while (!field.empty());
    return bytes;
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
    VocabularyReader reader(content, origin);
    reader.next_line();
    constexpr Words kId{"id", "编号"};
    const auto end_of_text = Token(reader.natural(reader.line().substr(kBytePairs.size()), kId));
    std::vector<std::string> tokens;
    std::vector<Index> counts;
    std::vector<BytePairTokenizer::Merge> merges;
    while (reader.next_line()) {
        if (tokens.empty() && reader.line().starts_with('#')) continue;
        const auto [first, second, third] = reader.fields();
        if (first == "merge") {
            merges.push_back(
                {Token(reader.natural(second, kId)), Token(reader.natural(third, kId))});
            continue;
        }
        if (!merges.empty())
            reader.refuse(say({"expected nothing but merges after the first of them",
                               "第一条合并规则之后只能是合并规则"}));
        reader.check_id(first, std::ssize(tokens));
        // <|endoftext|> is a name in its own row only; elsewhere these are thirteen characters.
        tokens.push_back(second == kEndOfTextName && std::ssize(tokens) != end_of_text
                             ? std::string(second)
                             : token_bytes(reader, second));
        counts.push_back(reader.natural(third, {"count", "次数"}));
    }
    try {
        return std::make_unique<BytePairTokenizer>(std::move(tokens), merges, end_of_text,
                                                   std::move(counts));
    } catch (const Error& error) {
        fail({"%s: %s", "%s：%s"}, origin, error.what());
    }
}

}  // namespace zhuyi
