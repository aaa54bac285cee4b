#include "system/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "base/number.h"
#include "system/unicode.h"

namespace zhuyi {
namespace {

struct Range {
    char32_t first, last;
};

// Width 2: East_Asian_Width W and F of Unicode 15, gaps that hold no assigned character closed.
constexpr Range kWide[] = {
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
constexpr Range kNoWidth[] = {
    {0x0000, 0x001F},   {0x007F, 0x009F}, {0x00AD, 0x00AD}, {0x0300, 0x036F}, {0x0483, 0x0489},
    {0x0591, 0x05BD},   {0x0610, 0x061A}, {0x064B, 0x065F}, {0x1AB0, 0x1ACE}, {0x1DC0, 0x1DFF},
    {0x200B, 0x200F},   {0x202A, 0x202E}, {0x2060, 0x2064}, {0x20D0, 0x20F0}, {0x302A, 0x302D},
    {0x3099, 0x309A},   {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}, {0xE0001, 0xE007F},
    {0xE0100, 0xE01EF},
};

template <std::size_t N>
bool contains(const Range (&ranges)[N], char32_t c) {
    const Range* after =
        std::upper_bound(std::begin(ranges), std::end(ranges), c,
                         [](char32_t value, const Range& range) { return value < range.first; });
    return after != std::begin(ranges) && c <= std::prev(after)->last;
}

int width_of(char32_t c) { return contains(kNoWidth, c) ? 0 : contains(kWide, c) ? 2 : 1; }

// The next character, or one byte that is none.
std::string_view next_piece(std::string_view utf8, int& width) {
    const CodePoint c = first_code_point(utf8);
    width = c.bytes == 0 ? 1 : width_of(c.value);
    return utf8.substr(0, c.bytes == 0 ? 1 : c.bytes);
}

int terminal_width(int file) {
    struct winsize size = {};
    if (ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    const char* columns = std::getenv("COLUMNS");
    const auto number = parse_integer(columns ? columns : "");
    return number && *number > 0 && *number < 100000 ? int(*number) : 80;
}

}  // namespace

Colours colours_of(const char* colorterm, const char* term, const char* no_color) {
    if (no_color && *no_color) return Colours::none;
    const std::string_view name = term ? term : "", depth = colorterm ? colorterm : "";
    if (name.empty() || name == "dumb") return Colours::none;
    if (depth == "truecolor" || depth == "24bit" || name.ends_with("-direct"))
        return Colours::direct;
    return name.find("256color") != name.npos || !depth.empty() ? Colours::palette : Colours::none;
}

Terminal terminal(int file) {
    if (!isatty(file)) return {};
    return {true, terminal_width(file),
            colours_of(std::getenv("COLORTERM"), std::getenv("TERM"), std::getenv("NO_COLOR"))};
}

int display_width(std::string_view utf8) {
    int total = 0;
    for (int width = 0; !utf8.empty(); total += width)
        utf8.remove_prefix(next_piece(utf8, width).size());
    return total;
}

std::string cut_to_width(std::string_view utf8, int width) {
    if (display_width(utf8) <= width) return std::string(utf8);
    if (width < 1) return "";
    std::string kept;
    int used = 1, next = 0;  // the sign "…" takes one column
    for (std::string_view piece; !utf8.empty(); utf8.remove_prefix(piece.size())) {
        piece = next_piece(utf8, next);
        if (used + next > width) break;
        kept += piece;
        used += next;
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

Language default_language() {
    for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
        const char* value = std::getenv(name);
        if (value && *value)
            return std::string_view(value).starts_with("zh") ? Language::chinese
                                                             : Language::english;
    }
    return Language::english;
}

}  // namespace zhuyi
