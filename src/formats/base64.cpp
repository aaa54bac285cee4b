#include "formats/base64.h"

namespace zhuyi {
namespace {

constexpr std::string_view kSixBits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

// Three bytes are four letters of six bits; a last group of one or two bytes is filled up with '='.
std::string base64(std::string_view bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        unsigned group = 0;
        for (std::size_t k = 0; k < 3; ++k)
            group =
                group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
        for (std::size_t k = 0; k < 4; ++k)
            text += i + k <= bytes.size() ? kSixBits[group >> (18 - 6 * k) & 63u] : '=';
    }
    return text;
}

std::optional<std::string> from_base64(std::string_view text) {
    std::string bytes;
    if (text.size() % 4 != 0) return {};
    for (std::size_t i = 0; i < text.size(); i += 4) {
        const bool last = i + 4 == text.size();
        const std::size_t filled = !last ? 0 : text.ends_with("==") ? 2 : text.ends_with('=');
        unsigned group = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            const std::size_t letter = k < 4 - filled ? kSixBits.find(text[i + k]) : 0;
            if (letter == std::string_view::npos) return {};
            group = group << 6 | unsigned(letter);
        }
        for (std::size_t k = 0; k < 3 - filled; ++k)
            bytes += char(static_cast<unsigned char>(group >> (16 - 8 * k) & 255u));
    }
    return bytes;
}

}  // namespace zhuyi
