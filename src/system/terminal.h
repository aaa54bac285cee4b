// What stands at the other end of stdout and stderr, and how wide text is there.
#pragma once
#include <string>
#include <string_view>

#include "base/language.h"

namespace zhuyi {

enum class Colours { none, palette, direct };  // none, 256 of them (xterm), 24 bits

struct Terminal {
    bool interactive = false;  // a person may be watching: progress may redraw its line
    int width = 80;            // columns, at least 1; 80 where it is not known
    // Of an interactive terminal; NO_COLOR and TERM=dumb switch them off.
    Colours colours = Colours::none;
};

// Of file descriptor 1 (stdout) or 2 (stderr), as it is now: windows change their size.
Terminal terminal(int file);
// COLORTERM, TERM and NO_COLOR (no-color.org) decide; here for tests. nullptr: not set.
Colours colours_of(const char* colorterm, const char* term, const char* no_color);

// Columns that UTF-8 text takes: wide East Asian characters 2 (Unicode Annex 11), combining ones
// and controls 0, others 1, a byte that is no character 1.
int display_width(std::string_view utf8);
// Exactly `width` columns: spaces are added, or the end is cut off and "…" says so.
std::string fit_left(std::string_view utf8, int width);   // text, then spaces
std::string fit_right(std::string_view utf8, int width);  // spaces, then text
// At most `width` columns.
std::string cut_to_width(std::string_view utf8, int width);

// 中文 when the first of LC_ALL, LC_MESSAGES, LANG that is set begins with "zh".
Language default_language();

}  // namespace zhuyi
