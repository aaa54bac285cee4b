#include "interop/byte_alphabet.h"

#include <array>

#include "base/format.h"
#include "system/unicode.h"

namespace zhuyi {
namespace {

constexpr bool is_visible(unsigned byte) {
    return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte != 0xAD);
}

struct Alphabet {
    std::array<char32_t, 256> letter{};
    std::array<int, 512> byte{};  // by letter; -1: none
};

constexpr Alphabet make_alphabet() {
    Alphabet alphabet;
    alphabet.byte.fill(-1);
    char32_t next = 0x100;
    for (unsigned byte = 0; byte < 256; ++byte) {
        alphabet.letter[byte] = is_visible(byte) ? char32_t(byte) : next++;
        alphabet.byte[alphabet.letter[byte]] = int(byte);
    }
    return alphabet;
}

constexpr Alphabet kAlphabet = make_alphabet();

}  // namespace

std::string in_byte_alphabet(std::string_view bytes) {
    std::string text;
    for (const char byte : bytes)
        append_code_point(text, kAlphabet.letter[static_cast<unsigned char>(byte)]);
    return text;
}

std::optional<std::string> from_byte_alphabet(std::string_view text) {
    std::string bytes;
    while (!text.empty()) {
        const CodePoint letter = first_code_point(text);
        if (letter.bytes == 0 || letter.value >= kAlphabet.byte.size() ||
            kAlphabet.byte[letter.value] < 0)
            return std::nullopt;
        bytes += char(kAlphabet.byte[letter.value]);
        text.remove_prefix(letter.bytes);
    }
    return bytes;
}

std::string byte_fallback_name(unsigned char byte) { return format("<0x%02X>", unsigned(byte)); }

}  // namespace zhuyi
