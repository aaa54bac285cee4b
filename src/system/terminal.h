// What stands at the other end of stdout and stderr, and how it is written to.
#pragma once
#include <string_view>

#include "base/check.h"

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

// 中文 when the first of LC_ALL, LC_MESSAGES, LANG that is set begins with "zh"; where none is set,
// as the system says.
Language default_language();

// ---- standard output, where results go; progress and errors go to stderr

// The reader of our output has closed it (`zhuyi sample … | head -1`): the program ends and prints
// no error.
class OutputClosed : public Error {
  public:
    OutputClosed() : Error(say({"nobody reads the output any more", "输出已经没有人读了"})) {}
};

// Writes at once, for a person who watches. Throws OutputClosed, or Error ("No space left on
// device"). A text, a name or a file may hold control characters, which a terminal would obey: they
// become visible symbols here (without_controls), on every way out.
void print(std::string_view text);
// The same for what draws in colours: these sequences alone ("\033[1m") stay as they are.
void print_coloured(std::string_view text);

// Standard error: progress, warnings, everything that is no result. Failures are ignored: there is
// nowhere to report them.
void tell(std::string_view text);
// A line that is drawn over the one before it, which stands on the terminal without a line feed.
enum class Redraw { keep, end };  // keep: it may be drawn over again
void tell_again(std::string_view line, Redraw after);

// Before anything else. A closed pipe and a file size limit then make the write fail instead of
// ending the process; and file descriptors 0 to 2 are taken, so that no file we open later is
// mistaken for standard output.
void prepare_streams();
// After everything else: also writes out what was written by other means than print(). Throws as
// print() does.
void finish_output();

}  // namespace zhuyi
