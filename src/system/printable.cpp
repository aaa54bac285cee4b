#include "system/printable.h"

#include <algorithm>

#include "base/format.h"
#include "system/unicode.h"

namespace zhuyi {

std::string printable(std::string_view text) {
    std::string shown;
    for (std::string_view rest = text; !rest.empty();) {
        const CodePoint c = first_code_point(rest);
        if (c.bytes == 0 || (c.value >= 0x80 && c.value < 0xA0))
            append_code_point(shown, 0xFFFD);
        else if (c.value == 0x7F)
            append_code_point(shown, 0x2421);
        else if (c.value < 0x20 && c.value != '\n' && c.value != '\t')
            append_code_point(shown, 0x2400 + c.value);
        else
            shown += rest.substr(0, c.bytes);
        rest.remove_prefix(std::max<std::size_t>(1, c.bytes));
    }
    return shown;
}

namespace {

// The length of the sequence that chooses a colour at the front of `text`; 0: there is none.
std::size_t colour_at_front(std::string_view text) {
    if (!text.starts_with("\033[")) return 0;
    const std::size_t end = text.find_first_not_of("0123456789;", 2);
    return end != text.npos && text[end] == 'm' ? end + 1 : 0;
}

}  // namespace

std::string without_controls(std::string_view text, Colour colour) {
    std::string shown;
    shown.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0u;
        if (c == 0xC2 && next >= 0x80 && next < 0xA0) {
            append_code_point(shown, 0xFFFD);
            ++i;
        } else if (c == 0x7F) {
            append_code_point(shown, 0x2421);
        } else if (c >= 0x20 || c == '\n' || c == '\t') {
            shown += text[i];
        } else if (const std::size_t length = colour_at_front(text.substr(i));
                   length > 0 && colour == Colour::stays) {
            shown += text.substr(i, length);
            i += length - 1;
        } else {
            append_code_point(shown, 0x2400 + c);
        }
    }
    return shown;
}

std::string in_quotes(std::string_view text) {
    constexpr int kMostCharacters = 60;
    std::string shown = "\"";
    for (int count = 0; !text.empty(); ++count) {
        if (count == kMostCharacters) return shown + "…\"";
        const CodePoint c = first_code_point(text);
        const bool control = c.value < 0x20 || (c.value >= 0x7F && c.value < 0xA0);
        if (c.bytes == 0 || control)
            shown += format("\\x%02x", unsigned(static_cast<unsigned char>(text[0])));
        else
            shown += text.substr(0, c.bytes);
        text.remove_prefix(c.bytes == 0 || control ? 1 : c.bytes);
    }
    return shown + "\"";
}

std::string in_markup(std::string_view text) {
    std::string safe;
    for (char c : text)
        safe += c == '&'   ? "&amp;"
                : c == '<' ? "&lt;"
                : c == '>' ? "&gt;"
                : c == '"' ? "&quot;"
                           : std::string(1, c);
    return safe;
}

}  // namespace zhuyi
