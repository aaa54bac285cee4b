// Text that comes from outside (a corpus, a file name, a model) made safe to show to a person.
#pragma once
#include <string>
#include <string_view>

namespace zhuyi {

// Control characters become visible symbols (␀ ␛ …), bytes that are no UTF-8 become �; newlines and
// tabs stay. (A model at the beginning of its training writes any byte.)
std::string printable(std::string_view text);

// The control characters alone (those below 0x20 but newline and tab, 0x7F, U+0080 to U+009F): what
// a terminal would obey. All else stays byte for byte. Colour::stays: so do the sequences that
// choose a colour, "\033[38;5;7m".
enum class Colour { goes, stays };
std::string without_controls(std::string_view text, Colour colour = Colour::goes);

// For one line of a message: in quotes; control characters (newlines too) and bytes that are no
// UTF-8 as \x1b; cut after 60 characters.
std::string in_quotes(std::string_view text);

// For HTML and SVG: & < > " as entities.
std::string in_markup(std::string_view text);

}  // namespace zhuyi
