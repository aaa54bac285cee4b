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
