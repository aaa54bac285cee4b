#include "system/printable.h"

#include <algorithm>
#include <cctype>

#include "base/format.h"
#include "base/language.h"
#include "base/utf8.h"

namespace zhuyi {

constexpr char32_t kControlPictures = 0x2400;  // ␀ ␁ … ␟ in the order of the control characters

// The marks that turn the direction of what follows (Unicode, UAX 9), and the two ends of a line.
static bool rearranges(char32_t code) {
    return code == 0x061C || code == 0x200E || code == 0x200F ||
           (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

std::string printable(std::string_view text) {
    std::string shown;
    for (std::string_view rest = text; !rest.empty();) {
        const utf8::Front c = utf8::front(rest);
        if (!c.whole() || (c.code >= 0x80 && c.code < 0xA0) || rearranges(c.code))
            shown += utf8::kReplacement;
        else if (c.code == 0x7F)
            shown += "␡";
        else if (c.code < 0x20)
            shown += utf8::encode(kControlPictures + c.code);
        else
            shown += rest.substr(0, c.length);
        rest.remove_prefix(c.length);
    }
    return shown;
}

// Returns the length of the sequence that chooses a colour at the front of `text`, or 0 if none
// stands there.
static std::size_t colour_at_front(std::string_view text) {
    if (!text.starts_with("\033[")) return 0;
    const std::size_t end = text.find_first_not_of("0123456789;", 2);
    return end != text.npos && text[end] == 'm' ? end + 1 : 0;
}

std::string without_controls(std::string_view text, bool colours) {
    std::string shown;
    shown.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0u;
        if (c == 0xC2 && next >= 0x80 && next < 0xA0) {
            shown += utf8::kReplacement;
            ++i;
        } else if (c == 0x7F) {
            shown += "␡";
        } else if (c >= 0x20 || c == '\n' || c == '\t') {
            shown += text[i];
        } else if (const std::size_t length = colour_at_front(text.substr(i));
                   length > 0 && colours) {
            shown += text.substr(i, length);
            i += length - 1;
        } else {
            shown += utf8::encode(kControlPictures + c);
        }
    }
    return shown;
}

std::string in_quotes(std::string_view text) {
    constexpr int kMostCharacters = 60;
    const std::string end = say({"\"", "”"});
    std::string shown = say({"\"", "“"});
    for (int count = 0; !text.empty(); ++count) {
        if (count == kMostCharacters) return shown + "…" + end;
        const utf8::Front c = utf8::front(text);
        const bool control = c.code < 0x20 || (c.code >= 0x7F && c.code < 0xA0);
        const bool shows = c.whole() && !control;
        if (shows)
            shown += text.substr(0, c.length);
        else
            shown += format("\\x%02x", unsigned(static_cast<unsigned char>(text[0])));
        text.remove_prefix(shows ? c.length : 1);
    }
    return shown + end;
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

std::string shell_quoted(std::string_view word) {
    std::string quoted = "'";
    for (char c : word) {
        if (c == '\'') quoted += "'\\'";  // the quotation ends, a quoted ', and it begins again
        quoted += c;
    }
    return quoted + "'";
}

std::string shell_word(std::string_view word) {
    const auto plain = [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte >= 0x80 || std::isalnum(byte) ||
               std::string_view("/._-+,:@%=").find(c) != std::string_view::npos;
    };
    return !word.empty() && std::all_of(word.begin(), word.end(), plain) ? std::string(word)
                                                                         : shell_quoted(word);
}

// Width 2: East_Asian_Width W and F of Unicode 15, gaps that hold no assigned character closed.
constexpr char32_t kWide[][2] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x2329, 0x232A},   {0x23E9, 0x23EC},
    {0x23F0, 0x23F0},   {0x23F3, 0x23F3},   {0x25FD, 0x25FE},   {0x2614, 0x2615},
    {0x2648, 0x2653},   {0x267F, 0x267F},   {0x2693, 0x2693},   {0x26A1, 0x26A1},
    {0x26AA, 0x26AB},   {0x26BD, 0x26BE},   {0x26C4, 0x26C5},   {0x26CE, 0x26CE},
    {0x26D4, 0x26D4},   {0x26EA, 0x26EA},   {0x26F2, 0x26F3},   {0x26F5, 0x26F5},
    {0x26FA, 0x26FA},   {0x26FD, 0x26FD},   {0x2705, 0x2705},   {0x270A, 0x270B},
    {0x2728, 0x2728},   {0x274C, 0x274C},   {0x274E, 0x274E},   {0x2753, 0x2755},
    {0x2757, 0x2757},   {0x2795, 0x2797},   {0x27B0, 0x27B0},   {0x27BF, 0x27BF},
    {0x2B1B, 0x2B1C},   {0x2B50, 0x2B50},   {0x2B55, 0x2B55},   {0x2E80, 0x303E},
    {0x3041, 0x4DBF},   {0x4E00, 0xA4CF},   {0xA960, 0xA97C},   {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE10, 0xFE19},   {0xFE30, 0xFE6F},   {0xFF01, 0xFF60},
    {0xFFE0, 0xFFE6},   {0x16FE0, 0x1B2FF}, {0x1F004, 0x1F004}, {0x1F0CF, 0x1F0CF},
    {0x1F18E, 0x1F18E}, {0x1F191, 0x1F19A}, {0x1F200, 0x1F320}, {0x1F32D, 0x1F335},
    {0x1F337, 0x1F37C}, {0x1F37E, 0x1F393}, {0x1F3A0, 0x1F3CA}, {0x1F3CF, 0x1F3D3},
    {0x1F3E0, 0x1F3F0}, {0x1F3F4, 0x1F3F4}, {0x1F3F8, 0x1F43E}, {0x1F440, 0x1F440},
    {0x1F442, 0x1F4FC}, {0x1F4FF, 0x1F53D}, {0x1F54B, 0x1F54E}, {0x1F550, 0x1F567},
    {0x1F57A, 0x1F57A}, {0x1F595, 0x1F596}, {0x1F5A4, 0x1F5A4}, {0x1F5FB, 0x1F64F},
    {0x1F680, 0x1F6C5}, {0x1F6CC, 0x1F6CC}, {0x1F6D0, 0x1F6D2}, {0x1F6D5, 0x1F6DF},
    {0x1F6EB, 0x1F6EC}, {0x1F6F4, 0x1F6FC}, {0x1F7E0, 0x1F7F0}, {0x1F90C, 0x1F93A},
    {0x1F93C, 0x1F945}, {0x1F947, 0x1F9FF}, {0x1FA70, 0x1FAFF}, {0x20000, 0x3FFFD},
};

// Width 0: controls, and marks that stand on the character before (general categories Mn, Me, Cf)
// in the scripts that mix with Chinese: accents, Hebrew and Arabic points, kana voicing, variation
// selectors, joiners.
constexpr char32_t kNoWidth[][2] = {
    {0x0000, 0x001F},   {0x007F, 0x009F}, {0x00AD, 0x00AD}, {0x0300, 0x036F}, {0x0483, 0x0489},
    {0x0591, 0x05BD},   {0x0610, 0x061A}, {0x064B, 0x065F}, {0x1AB0, 0x1ACE}, {0x1DC0, 0x1DFF},
    {0x200B, 0x200F},   {0x202A, 0x202E}, {0x2060, 0x2064}, {0x20D0, 0x20F0}, {0x302A, 0x302D},
    {0x3099, 0x309A},   {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}, {0xE0001, 0xE007F},
    {0xE0100, 0xE01EF},
};

// `ranges`: the first and the last of each, in order.
template <std::size_t N>
static bool contains(const char32_t (&ranges)[N][2], char32_t c) {
    const auto range = std::ranges::partition_point(ranges, [c](auto& r) { return r[1] < c; });
    return range != std::end(ranges) && (*range)[0] <= c;
}

static int width_of(char32_t c) { return contains(kNoWidth, c) ? 0 : contains(kWide, c) ? 2 : 1; }

static int width_of(std::string_view character) {
    const utf8::Front c = utf8::front(character);
    return c.whole() ? width_of(c.code) : 1;
}

int display_width(std::string_view utf8) {
    int total = 0;
    for (std::string_view character : utf8::Characters(utf8)) total += width_of(character);
    return total;
}

std::string cut_to_width(std::string_view utf8, int width) {
    if (display_width(utf8) <= width) return std::string(utf8);
    if (width < 1) return "";
    std::string kept;
    int used = 1;  // the sign "…" takes one column
    for (std::string_view character : utf8::Characters(utf8)) {
        used += width_of(character);
        if (used > width) break;
        kept += character;
    }
    return kept + "…";
}

std::string fit_left(std::string_view utf8, int width) {
    std::string text = cut_to_width(utf8, width);
    return text + std::string(std::size_t(std::max(0, width - display_width(text))), ' ');
}

std::string fit_right(std::string_view utf8, int width) {
    std::string text = cut_to_width(utf8, width);
    return std::string(std::size_t(std::max(0, width - display_width(text))), ' ') + text;
}

}  // namespace zhuyi
