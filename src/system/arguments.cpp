#include "system/arguments.h"

#include <algorithm>

#include "base/check.h"
#include "system/printable.h"
#include "system/terminal.h"

namespace zhuyi {
namespace {

bool is_yes_or_no(std::string_view argument) {
    constexpr std::string_view kWords[] = {"yes", "no", "on", "off", "true", "false"};
    return std::ranges::find(kWords, argument) != std::end(kWords);
}

}  // namespace

bool is_option(std::string_view argument) { return argument.size() > 1 && argument[0] == '-'; }

Takes takes(const Options& options, std::string_view name) {
    if (!options.has(name)) return Takes::unknown;
    return options.is_switch(name) ? Takes::nothing : Takes::value;
}

Arguments split_line(std::span<const std::string> arguments,
                     const std::function<Takes(std::string_view name)>& takes) {
    Arguments line;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& argument = arguments[i] == "-h" ? "--help" : arguments[i];
        if (argument == "--") {
            const auto rest = arguments.subspan(i + 1);
            line.words.insert(line.words.end(), rest.begin(), rest.end());
            break;
        }
        if (!is_option(argument)) {
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
        const std::string origin = "--" + shown.substr(1, shown.size() - 2);
        if (equals != argument.npos) {
            line.settings.push_back({name, argument.substr(equals + 1), origin});
        } else if (takes(name) == Takes::nothing) {
            const bool said = i + 1 < arguments.size() && is_yes_or_no(arguments[i + 1]);
            line.settings.push_back({name, said ? arguments[++i] : "yes", origin});
        } else if (i + 1 == arguments.size() || arguments[i + 1].starts_with("--")) {
            // What looks like an option is more likely one than this one's value.
            if (takes(name) == Takes::value)
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
