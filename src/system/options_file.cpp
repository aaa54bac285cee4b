// Options as a configuration file: reading one and writing one that reads back the same.
#include "system/options.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

#include "base/check.h"
#include "system/input_file.h"
#include "system/printable.h"
#include "system/terminal.h"

namespace zhuyi {
static std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlank = " \t\r";
    const std::size_t first = text.find_first_not_of(kBlank);
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

static std::string_view without_comment(std::string_view text) {
    return trimmed(text.substr(0, text.find('#')));
}

// `12 # why` -> `12`; `"a # b" # why` -> `a # b`. nullopt: the quotes do not end, or something
// follows them.
static std::optional<std::string> value_of(std::string_view text) {
    text = trimmed(text);
    if (!text.starts_with('"')) return std::string(without_comment(text));
    std::string value;
    for (std::size_t i = 1; i < text.size(); ++i) {
        if (text[i] == '"') {
            if (!without_comment(text.substr(i + 1)).empty()) return std::nullopt;
            return value;
        }
        if (text[i] == '\\' && ++i < text.size()) {
            const std::size_t which = std::string_view("\"\\nt").find(text[i]);
            if (which == std::string_view::npos) return std::nullopt;
            value += "\"\\\n\t"[which];
        } else if (i < text.size()) {
            value += text[i];
        }
    }
    return std::nullopt;
}

// The inverse of value_of.
static std::string file_value(const std::string& value) {
    const bool plain = value.find_first_of("\"#\\\n\t\r") == value.npos && value == trimmed(value);
    if (plain && !value.empty()) return value;
    std::string text = "\"";
    for (const char c : value) {
        const std::size_t which = std::string_view("\"\\\n\t").find(c);
        if (which == std::string_view::npos)
            text += c;
        else
            (text += '\\') += "\"\\nt"[which];
    }
    return text + "\"";
}

void Options::read_file(const std::string& path) {
    // A configuration is a page of text. A corpus given by mistake is larger, and read_file says
    // so.
    constexpr std::uint64_t kMostBytes = std::uint64_t(1) << 20;
    const std::string bytes = zhuyi::read_file(path, kMostBytes);
    std::string_view rest = bytes;
    if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);  // a byte order mark

    std::map<std::string, int, std::less<>> seen;
    for (int number = 1; !rest.empty(); ++number) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        if (without_comment(line).empty()) continue;

        const std::string origin = path + ":" + std::to_string(number);
        if (const std::size_t zero = line.find('\0'); zero != line.npos)
            fail_usage({"%s: byte %zu of the line is 0 (NUL), which stands in no configuration",
                        "%s：这一行的第 %zu 个字节是 0（NUL），配置里不能有它"},
                       origin, zero);
        const std::size_t equals = line.find('=');
        if (equals == line.npos || equals > line.find('#'))
            fail_usage({"%s: expected key = value, found %s", "%s：应为 key = value，实际是%s"},
                       origin, in_quotes(trimmed(line)));
        const std::string_view name = trimmed(line.substr(0, equals));
        const std::optional<std::string> value = value_of(line.substr(equals + 1));
        if (!value)
            fail_usage({"%s: expected a value in quotes (\\\" \\\\ \\n \\t inside), found %s",
                        "%s：应为引号中的值（里面可用 \\\" \\\\ \\n \\t），实际是%s"},
                       origin, in_quotes(trimmed(line.substr(equals + 1))));
        const auto [first, fresh] = seen.try_emplace(key_of(name), number);
        if (!fresh)
            fail_usage({"%s: %s already stands in line %d; remove one of the two",
                        "%s：%s 已在第 %d 行写过；请删去其中一个"},
                       origin, name, first->second);
        set(name, *value, origin);
    }
}

std::string Options::file() const {
    int width = 0;
    std::vector<std::string> lines;
    for (const Entry& entry : entries_) {
        lines.push_back(entry.name + " = " + file_value(entry.get()));
        // A long text does not count: it would push all comments off the screen.
        if (display_width(lines.back()) <= 40) width = std::max(width, display_width(lines.back()));
    }
    std::string text;
    std::optional<std::string> title;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        const std::string group = say(entries_[i].group);
        if (title != group) {
            title = group;
            if (!text.empty()) text += "\n";
            if (!group.empty()) text += "# " + group + "\n";
        }
        text += lines[i] +
                std::string(std::size_t(std::max(0, width - display_width(lines[i]))), ' ') +
                "  # " + say(entries_[i].help) + "\n";
    }
    return text;
}

static bool is_yes_or_no(std::string_view argument) {
    constexpr std::string_view kWords[] = {"yes", "no", "on", "off", "true", "false"};
    return std::ranges::find(kWords, argument) != std::end(kWords);
}

bool is_option(std::string_view argument) { return argument.size() > 1 && argument[0] == '-'; }

// "—steps", "－－steps": what a Chinese keyboard or an editor makes of --steps.
static void refuse_other_dashes(const std::string& word) {
    std::string_view name = word;
    const auto cut = [&](std::string_view dash) {
        return name.starts_with(dash) && (name.remove_prefix(dash.size()), true);
    };
    while (cut("—") || cut("–") || cut("－") || cut("―") || cut("−")) {
    }
    if (name.size() == word.size()) return;
    cut("-");
    if (name.empty() || !std::isalpha(static_cast<unsigned char>(name[0]))) return;
    fail_usage({"%s: an option begins with two half-width hyphens: --%s",
                "%s：选项以两个半角减号开头：--%s"},
               in_quotes(word), printable(name));
}

Arguments split_line(std::span<const std::string> arguments,
                     std::initializer_list<const Options*> lists) {
    Arguments line;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& argument = arguments[i] == "-h" ? "--help" : arguments[i];
        if (argument == "--") {
            const auto rest = arguments.subspan(i + 1);
            line.words.insert(line.words.end(), rest.begin(), rest.end());
            break;
        }
        if (!is_option(argument)) {
            refuse_other_dashes(argument);
            line.words.push_back(argument);
            continue;
        }
        if (!argument.starts_with("--"))
            fail_usage({"unknown option %s: options begin with two dashes, and after -- everything "
                        "is a word",
                        "没有选项 %s：选项以两个短横线开头；单独的 -- 之后一律不当作选项"},
                       in_quotes(argument));

        const std::size_t equals = argument.find('=');
        const std::string name = argument.substr(2, equals == argument.npos ? equals : equals - 2);
        const std::string shown = in_quotes(name);
        const std::size_t quote = in_quotes("").size() / 2;
        const std::string origin = "--" + shown.substr(quote, shown.size() - 2 * quote);
        const auto list = std::ranges::find_if(lists, [&](auto* all) { return all->has(name); });
        const bool known = list != lists.end();
        if (equals != argument.npos) {
            line.settings.push_back({name, argument.substr(equals + 1), origin});
        } else if (known && (*list)->is_switch(name)) {
            const bool said = i + 1 < arguments.size() && is_yes_or_no(arguments[i + 1]);
            line.settings.push_back({name, said ? arguments[++i] : "yes", origin});
        } else if (i + 1 == arguments.size() || arguments[i + 1].starts_with("--")) {
            // What looks like an option is more likely one than this one's value.
            if (known)
                fail_usage({"%1$s: expected a value; one that begins with -- is written "
                            "%1$s=value",
                            "%1$s 后面要有一个值；以 -- 开头的值写成 %1$s=值"},
                           origin);
            line.settings.push_back({name, "", origin});
        } else {
            line.settings.push_back({name, arguments[++i], origin});
        }
    }
    return line;
}

Language language_of(std::span<const std::string> arguments) {
    Language language = default_language();
    for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
        std::string_view asked = arguments[i];
        if (asked == "--lang" && i + 1 < arguments.size())
            asked = arguments[i + 1];
        else if (asked.starts_with("--lang="))
            asked.remove_prefix(7);
        else
            continue;
        if (asked == "zh") language = Language::chinese;
        if (asked == "en") language = Language::english;
    }
    return language;
}

}  // namespace zhuyi
