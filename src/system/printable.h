// Text as a person sees it: made safe where it comes from outside (a corpus, a file name, a model),
// and measured in columns.
#pragma once
#include <string>
#include <string_view>

namespace zhuyi {

// A name stays on its line: control characters become visible symbols (␀ ␊ ␛ …), so that no newline
// forges a row; bytes that are no UTF-8 and marks that turn the direction of a text become �.
std::string printable(std::string_view text);

// The control characters alone (those below 0x20 but newline and tab, 0x7F, U+0080 to U+009F): what
// a terminal would obey. All else stays byte for byte. `colours`: so do the sequences that choose a
// colour, "\033[38;5;7m".
std::string without_controls(std::string_view text, bool colours = false);

// For one line of a message: in quotes; control characters (newlines too) and bytes that are no
// UTF-8 as \x1b; cut after 60 characters.
std::string in_quotes(std::string_view text);

// For HTML and SVG: & < > " as entities.
std::string in_markup(std::string_view text);

// 'it'\''s': a word for the shell.
std::string shell_quoted(std::string_view word);
// The same in quotes only where the shell needs them: runs/诗, 'runs/my poems'.
std::string shell_word(std::string_view word);

// ---- how wide text is

// Columns that UTF-8 text takes: wide East Asian characters 2 (Unicode Annex 11), combining ones
// and controls 0, others 1, a byte that is no character 1.
int display_width(std::string_view utf8);
// Exactly `width` columns: spaces are added, or the end is cut off and "…" says so.
std::string fit_left(std::string_view utf8, int width);   // text, then spaces
std::string fit_right(std::string_view utf8, int width);  // spaces, then text
// At most `width` columns.
std::string cut_to_width(std::string_view utf8, int width);

}  // namespace zhuyi
