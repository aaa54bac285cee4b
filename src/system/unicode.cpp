#include "system/unicode.h"

namespace zhuyi {

CodePoint first_code_point(std::string_view utf8) {
    if (utf8.empty()) return {};
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(utf8[i]); };
    const unsigned lead = byte(0);
    if (lead < 0x80) return {lead, 1};
    if (lead < 0xC2 || lead > 0xF4) return {};  // C0, C1: overlong; F5…: beyond U+10FFFF

    const std::size_t bytes = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (utf8.size() < bytes) return {};
    char32_t value = lead & (0x7Fu >> bytes);
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xC0) != 0x80) return {};
        value = value << 6 | (byte(i) & 0x3Fu);
    }
    const bool overlong = (bytes == 3 && value < 0x800) || (bytes == 4 && value < 0x10000);
    const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
    if (overlong || surrogate || value > 0x10FFFF) return {};
    return {value, bytes};
}

void append_code_point(std::string& utf8, char32_t value) {
    const auto add = [&](char32_t byte) { utf8 += static_cast<char>(byte); };
    if (value < 0x80) return add(value);
    if (value < 0x800) {
        add(0xC0 | value >> 6);
    } else {
        if (value < 0x10000) {
            add(0xE0 | value >> 12);
        } else {
            add(0xF0 | value >> 18);
            add(0x80 | (value >> 12 & 0x3F));
        }
        add(0x80 | (value >> 6 & 0x3F));
    }
    add(0x80 | (value & 0x3F));
}

}  // namespace zhuyi
