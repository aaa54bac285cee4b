#include "text/utf8.h"

#include <algorithm>
#include <cstring>

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
