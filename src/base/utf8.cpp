#include "base/utf8.h"

#include <cstdint>
#include <cstring>

namespace zhuyi::utf8 {

static bool continues(unsigned char byte) { return (byte & 0xC0) == 0x80; }

// What the first byte alone decides. C0 and C1 would hold U+0000 … U+007F.
static Finding finding_of_lead(unsigned char lead) {
    if (continues(lead)) return Finding::stray;
    if (lead < 0xC2) return Finding::overlong;
    return lead < 0xF5 ? Finding::whole : lead < 0xF8 ? Finding::too_large : Finding::unused;
}

// The second byte decides what the bit patterns alone cannot: of each long form, the numbers that a
// shorter form holds, the surrogates, and everything above U+10FFFF differ from the rest in it.
static Finding finding_of_second(unsigned char lead, unsigned char second) {
    if (lead == 0xE0 && second < 0xA0) return Finding::overlong;
    if (lead == 0xF0 && second < 0x90) return Finding::overlong;
    if (lead == 0xED && second >= 0xA0) return Finding::surrogate;
    if (lead == 0xF4 && second >= 0x90) return Finding::too_large;
    return Finding::whole;
}

Front front_of_many(std::string_view bytes) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
    const unsigned char lead = byte(0);
    Finding finding = finding_of_lead(lead);
    const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    char32_t code = lead & (0x7Fu >> length);
    for (std::size_t i = 1; i < length && finding == Finding::whole; ++i) {
        if (i == bytes.size())
            finding = Finding::cut;
        else if (!continues(byte(i)))
            finding = Finding::broken;
        else if (i == 1)
            finding = finding_of_second(lead, byte(1));
        if (finding == Finding::whole) code = code << 6 | (byte(i) & 0x3Fu);
    }
    return finding == Finding::whole ? Front{finding, code, length} : Front{finding, 0, 1};
}

std::optional<Index> first_error(std::string_view bytes) {
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
        if (!found.whole()) return Index(at);
        at += found.length;
    }
    return std::nullopt;
}

std::string encode(char32_t code) {
    std::string text;
    const auto add = [&](char32_t byte) { text += static_cast<char>(byte); };
    const auto follow = [&](int shift) { add(0x80 | (code >> shift & 0x3F)); };
    if (code < 0x80) {
        add(code);
    } else if (code < 0x800) {
        add(0xC0 | code >> 6), follow(0);
    } else if (code < 0x10000) {
        add(0xE0 | code >> 12), follow(6), follow(0);
    } else {
        add(0xF0 | code >> 18), follow(12), follow(6), follow(0);
    }
    return text;
}

Index length(std::string_view bytes) {
    Index count = 0;
    for ([[maybe_unused]] std::string_view character : Characters(bytes)) ++count;
    return count;
}

std::string repaired(std::string_view bytes) {
    std::string text;
    for (std::string_view character : Characters(bytes))
        text += front(character).whole() ? character : kReplacement;
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
