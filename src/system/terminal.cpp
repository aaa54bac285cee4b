#include "system/terminal.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <iterator>

#include "base/format.h"
#include "system/disk.h"
#include "system/machine.h"
#include "system/printable.h"

namespace zhuyi {

static int terminal_width(int file) {
    if (const int known = columns_of(file); known > 0) return known;
    const char* columns = std::getenv("COLUMNS");
    const auto number = parse_integer(columns ? columns : "");
    return number && *number > 0 && *number < 100000 ? int(*number) : 80;
}

Colours colours_of(const char* colorterm, const char* term, const char* no_color) {
    if (no_color && *no_color) return Colours::none;
    const std::string_view name = term ? term : "", depth = colorterm ? colorterm : "";
    if (name.empty() || name == "dumb") return Colours::none;
    if (depth == "truecolor" || depth == "24bit" || name.ends_with("-direct"))
        return Colours::direct;
    return name.find("256color") != name.npos || !depth.empty() ? Colours::palette : Colours::none;
}

Terminal terminal(int file) {
    if (!is_terminal(file)) return {};
    return {true, terminal_width(file),
            colours_of(std::getenv("COLORTERM"), terminal_type(), std::getenv("NO_COLOR"))};
}

Language default_language() {
    for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
        const char* value = std::getenv(name);
        if (value && *value)
            return std::string_view(value).starts_with("zh") ? Language::chinese
                                                             : Language::english;
    }
    return language_of_system().value_or(Language::english);
}

[[noreturn]] static void fail_output(int error) {
    if (error == EPIPE) throw OutputClosed();
    fail({"cannot write to standard output: %s", "无法写到标准输出：%s"}, system_reason(error));
}

static void write_out(const std::string& text) {
    const std::size_t written = std::fwrite(text.data(), 1, text.size(), stdout);
    if (written < text.size() || std::fflush(stdout) != 0) fail_output(errno);
}

void print(std::string_view text) { write_out(without_controls(text)); }
void print_coloured(std::string_view text) { write_out(without_controls(text, true)); }

void tell(std::string_view text) { std::fputs(without_controls(text).c_str(), stderr); }

void tell_again(std::string_view line, Redraw after) {
    const std::string text = "\r" + without_controls(line) + "\033[K";
    std::fputs((after == Redraw::end ? text + "\n" : text).c_str(), stderr);
}

void prepare_streams() { open_streams(); }

void finish_output() {
    if (std::fflush(stdout) != 0) fail_output(errno);
    // An earlier write failed, and its errno is lost; for a pipe there is only one reason.
    if (std::ferror(stdout)) fail_output(is_pipe(1) ? EPIPE : EIO);
}

}  // namespace zhuyi
