#include "text/utf8.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>

#include "base/format.h"
#include "system/printable.h"

namespace zhuyi::utf8 {

namespace {

bool continues(unsigned char byte) { return (byte & 0xC0) == 0x80; }

Finding refused_lead(unsigned char lead) {
    if (continues(lead)) return Finding::stray;
    if (lead < 0xC2) return Finding::overlong;  // C0 and C1 would hold U+0000 … U+007F
    return lead < 0xF8 ? Finding::too_large : Finding::unused;
}

// The second byte decides what the bit patterns alone cannot: of each long form, the numbers that a
// shorter form holds, the surrogates, and everything above U+10FFFF differ from the rest in it.
Finding refused_second(unsigned char lead, unsigned char second) {
    if (lead == 0xE0 && second < 0xA0) return Finding::overlong;
    if (lead == 0xF0 && second < 0x90) return Finding::overlong;
    if (lead == 0xED && second >= 0xA0) return Finding::surrogate;
    if (lead == 0xF4 && second >= 0x90) return Finding::too_large;
    return Finding::whole;
}

// Why no character stands at the front.
Front refused(std::string_view bytes) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
    const unsigned char lead = byte(0);
    if (lead < 0xC2 || lead > 0xF4) return {refused_lead(lead), 0, 1};
    const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    for (std::size_t i = 1; i < length; ++i) {
        if (i == bytes.size()) return {Finding::cut, 0, int(i)};
        if (!continues(byte(i))) return {Finding::broken, 0, 1};
        if (i > 1) continue;
        const Finding finding = refused_second(lead, byte(1));
        if (finding != Finding::whole) return {finding, 0, 1};
    }
    return {Finding::broken, 0, 1};  // not reached: such bytes are a character
}

}  // namespace

Words description(Finding finding) {
    switch (finding) {
        case Finding::whole:
            return {"is a character", "是一个字符"};
        case Finding::cut:
            return {"begins a character that the end of the text cuts short",
                    "开始了一个字符，但文本在它中间结束"};
        case Finding::stray:
            return {"is a continuation byte without a beginning", "是后续字节，前面却没有首字节"};
        case Finding::unused:
            return {"never occurs in UTF-8", "在 UTF-8 中从不出现"};
        case Finding::broken:
            return {"begins a character whose next bytes are missing",
                    "开始了一个字符，但缺少后续字节"};
        case Finding::overlong:
            return {"begins a longer form than the character needs", "开始了一个过长的编码"};
        case Finding::surrogate:
            return {"begins half of a surrogate pair (CESU-8?)",
                    "开始了代理对的一半（可能是 CESU-8）"};
        case Finding::too_large:
            return {"begins a number beyond U+10FFFF", "开始了一个超过 U+10FFFF 的码位"};
    }
    return {};
}

Front front_of_many(std::string_view bytes) {
    const CodePoint character = first_code_point(bytes);
    if (character.bytes == 0) return refused(bytes);
    return {Finding::whole, character.value, int(character.bytes)};
}

std::optional<Fault> first_error(std::string_view bytes) {
    std::size_t at = 0;
    while (at < bytes.size()) {
        // Eight bytes of ASCII at once.
        std::uint64_t eight = 0;
        if (at + 8 <= bytes.size()) {
            std::memcpy(&eight, bytes.data() + at, 8);
            if ((eight & 0x8080808080808080u) == 0) {
                at += 8;
                continue;
            }
        }
        const Front found = front(bytes.substr(at));
        if (found.finding != Finding::whole) return Fault{Index(at), found.finding};
        at += std::size_t(found.length);
    }
    return std::nullopt;
}

std::string encode(char32_t code) {
    std::string text;
    append_code_point(text, code);
    return text;
}

Index length(std::string_view bytes) {
    Index count = 0;
    for ([[maybe_unused]] std::string_view character : Characters(bytes)) ++count;
    return count;
}

void Characters::Iterator::look() {
    if (!rest_.empty()) length_ = std::max<std::size_t>(1, first_code_point(rest_).bytes);
}

std::string repaired(std::string_view bytes) {
    std::string text;
    for (std::string_view character : Characters(bytes))
        text += front(character).finding == Finding::whole ? character : kReplacement;
    return text;
}

std::string_view prefix(std::string_view text, Index count) {
    std::size_t size = 0;
    for (std::string_view character : Characters(text)) {
        if (count-- <= 0) break;
        size += character.size();
    }
    return text.substr(0, size);
}

}  // namespace zhuyi::utf8

namespace zhuyi {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

unsigned byte_at(std::string_view bytes, std::size_t i) {
    return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0;
}
bool within(unsigned byte, unsigned first, unsigned last) { return byte >= first && byte <= last; }

struct Pairs {
    Index good = 0, common = 0, bad = 0;
};

// Lead 81 … FE, trail 40 … FE without 7F; four bytes where the second is a digit. Common: GB2312,
// whose bytes both lie in A1 … FE, its 汉字 and punctuation (rows up to F7). Big5 has such leads
// too, but many of its trails lie below.
Pairs pairs_of(std::string_view bytes) {
    Pairs pairs;
    for (std::size_t i = 0; i < bytes.size();) {
        const unsigned lead = byte_at(bytes, i), trail = byte_at(bytes, i + 1);
        const bool digits = within(trail, '0', '9');
        if (lead < 0x80) {
            ++i;
        } else if (!within(lead, 0x81, 0xFE) || (!within(trail, 0x40, 0xFE) && !digits) ||
                   trail == 0x7F) {
            if (i + 1 < bytes.size()) ++pairs.bad;  // else the excerpt ends inside a pair
            ++i;
        } else {
            ++pairs.good;
            pairs.common += within(lead, 0xA1, 0xF7) && trail >= 0xA1;
            i += digits ? 4 : 2;
        }
    }
    return pairs;
}

std::string iconv_line(const char* encoding, const std::string& path, Lies lies) {
    const std::filesystem::path old(path);
    if (lies == Lies::in_folder) {
        const std::string from = shell_quoted(path), to = shell_quoted(path + ".utf8");
        return format("iconv -f %s -t UTF-8 %s > %s && mv %s %s", encoding, from.c_str(),
                      to.c_str(), to.c_str(), from.c_str());
    }
    const std::string mended = (old.parent_path() / (old.stem().string() + ".utf8.txt")).string();
    return format("iconv -f %s -t UTF-8 %s > %s", encoding, shell_quoted(path).c_str(),
                  shell_quoted(mended).c_str());
}

const char* wide_encoding(std::string_view bytes) {
    if (bytes.starts_with("\xFF\xFE\0\0"sv) || bytes.starts_with("\0\0\xFE\xFF"sv)) return "UTF-32";
    if (bytes.starts_with("\xFF\xFE"sv) || bytes.starts_with("\xFE\xFF"sv)) return "UTF-16";
    return nullptr;
}

// Editors count lines by LF, CR LF and lone CR.
std::size_t line_start(std::string_view bytes, std::size_t offset, Index& line) {
    std::size_t start = 0;
    line = 1;
    for (std::size_t i = 0; i < offset; ++i)
        if (bytes[i] == '\n' || (bytes[i] == '\r' && byte_at(bytes, i + 1) != '\n')) {
            ++line;
            start = i + 1;
        }
    return start;
}

}  // namespace

bool looks_like_gb18030(std::string_view bytes) {
    Index characters = 0, faults = 0;
    for (std::string_view piece : utf8::Characters(bytes)) {
        if (piece.size() > 1) ++characters;
        if (piece.size() == 1 && byte_at(piece, 0) >= 0x80) ++faults;
    }
    const Pairs pairs = pairs_of(bytes);
    return faults > characters && pairs.common > 0 && pairs.good >= 20 * pairs.bad &&
           10 * pairs.common >= 8 * pairs.good;
}

std::string complaint_about_encoding(std::string_view bytes, const std::string& path, Lies lies) {
    if (const char* encoding = wide_encoding(bytes))
        return say({"%s is %s, expected UTF-8; this makes UTF-8 of it: %s",
                    "%s 是 %s，应为 UTF-8；可以这样转换：%s"},
                   path, encoding, iconv_line(encoding, path, lies));
    const auto fault = utf8::first_error(bytes);
    if (!fault) return {};

    const auto offset = std::size_t(fault->offset);
    Index line = 0;
    std::size_t start = line_start(bytes, offset, line);
    constexpr std::size_t kExcerpt = 1 << 20;  // enough to judge by; a line may be gigabytes long
    if (offset - start > kExcerpt) start = offset;
    const std::string message =
        say({"%s, line %td, byte offset %td: 0x%02X %s; expected UTF-8. ",
             "%s，第 %td 行，字节偏移 %td：0x%02X %s；应为 UTF-8。"},
            path, line, fault->offset, byte_at(bytes, offset), utf8::description(fault->finding));
    if (looks_like_gb18030(bytes.substr(start, kExcerpt)))
        return message + say({"The file looks like GB18030 (GBK); this makes UTF-8 of it: %s",
                              "文件看起来是 GB18030（GBK）；可以这样转换：%s"},
                             iconv_line("GB18030", path, lies));
    return message + say({"Save the text as UTF-8, or mend that place in an editor.",
                          "请把文本另存为 UTF-8，或在编辑器里改正这一处。"});
}

}  // namespace zhuyi
