#include "app/command_line.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <new>
#include <typeinfo>

#include "base/check.h"
#include "base/format.h"
#include "system/output.h"
#include "system/printable.h"
#include "system/terminal.h"

namespace zhuyi {
namespace {

constexpr const char* kVersion = "zhuyi 0.1.0\n";

// Options that every command understands.
struct Everywhere {
    Language language = default_language();
    bool help = false, version = false;
    Options options;

    Everywhere() {
        options.group({"Everywhere", "通用"});
        options.choice<Language>(
            "lang", language, {{"zh", Language::chinese}, {"en", Language::english}},
            {"language of help, progress and reports", "帮助、进度和报告的语言"});
        options.add("help", help, {"explain the command", "说明这个命令"});
        options.add("version", version, {"print the version", "显示版本"});
    }
    Everywhere(const Everywhere&) = delete;
    Everywhere& operator=(const Everywhere&) = delete;
};

using Commands = std::span<const CommandFactory>;

std::string program_help(Commands commands, Language language) {
    const bool chinese = language == Language::chinese;
    std::string text =
        chinese ? "zhuyi（注意）：训练一个小 GPT，并看见它在注意什么\n\n用法：zhuyi 命令 …\n\n"
                : "zhuyi (注意, attention): train a small GPT, and see what it attends "
                  "to\n\nusage: zhuyi COMMAND …\n\n";
    for (const CommandFactory make : commands) {
        const std::unique_ptr<Command> command = make();
        text += "  " + fit_left(command->name(), 10) + " " + command->summary().in(language) + "\n";
    }
    return text + (chinese ? "\nzhuyi 命令 --help 说明一个命令。\n"
                           : "\nzhuyi COMMAND --help explains one of them.\n");
}

std::string command_help(const Command& command, const Options& options,
                         const Everywhere& everywhere) {
    const bool chinese = everywhere.language == Language::chinese;
    return std::string(chinese ? "用法：zhuyi " : "usage: zhuyi ") + command.name() + " " +
           command.usage() + "\n\n" + command.summary().in(everywhere.language) + "\n\n" +
           options.help(everywhere.language) + (options.entries().empty() ? "" : "\n") +
           everywhere.options.help(everywhere.language);
}

std::unique_ptr<Command> command_named(const std::string& name, Commands commands) {
    std::vector<std::string> names{"help"};
    for (const CommandFactory make : commands) {
        std::unique_ptr<Command> command = make();
        if (name == command->name()) return command;
        names.push_back(command->name());
    }
    const std::string nearest = nearest_word(name, names);
    fail_usage_english("there is no command " + in_quotes(name) +
                       (nearest.empty() ? "; zhuyi --help lists all commands"
                                        : "; did you mean zhuyi " + nearest + "?"));
}

bool is_yes_or_no(const std::string& argument) {
    constexpr std::string_view kWords[] = {"yes", "no", "on", "off", "true", "false"};
    return std::find(std::begin(kWords), std::end(kWords), argument) != std::end(kWords);
}

bool is_option(const std::string& argument) { return argument.size() > 1 && argument[0] == '-'; }

// Options for everywhere may stand before the command; none but --lang takes a value.
std::size_t place_of_command(const std::vector<std::string>& arguments) {
    std::size_t at = 0;
    while (at < arguments.size() && is_option(arguments[at]))
        at += std::size_t(arguments[at] == "--lang" ? 2 : 1);
    return std::min(at, arguments.size());
}

Takes takes(const Options& options, std::string_view name) {
    if (!options.has(name)) return Takes::unknown;
    return options.is_switch(name) ? Takes::nothing : Takes::value;
}

// Takes the settings that belong to everywhere out of the line.
void take_settings(Everywhere& everywhere, Line& line) {
    std::erase_if(line.settings, [&](const Setting& setting) {
        if (!everywhere.options.has(setting.name)) return false;
        everywhere.options.set(setting.name, setting.text, setting.origin);
        return true;
    });
}

int run_without_command(const std::vector<std::string>& arguments, Commands commands) {
    Everywhere everywhere;
    Line line = split_line(arguments,
                           [&](std::string_view name) { return takes(everywhere.options, name); });
    take_settings(everywhere, line);
    for (const Setting& setting : line.settings)
        everywhere.options.set(setting.name, setting.text, setting.origin);  // unknown: throws
    const std::string text =
        everywhere.version ? kVersion : program_help(commands, everywhere.language);
    if (everywhere.version || everywhere.help) return print(text), 0;
    std::fputs(text.c_str(), stderr);
    return 2;
}

int run_named(const std::string& name, const std::vector<std::string>& arguments,
              Commands commands) {
    const std::unique_ptr<Command> command = command_named(name, commands);
    Everywhere everywhere;
    Options options;
    command->declare(options);
    Line line = split_line(arguments, [&](std::string_view option) {
        return takes(everywhere.options.has(option) ? everywhere.options : options, option);
    });
    take_settings(everywhere, line);
    if (everywhere.version) return print(kVersion), 0;
    if (everywhere.help) return print(command_help(*command, options, everywhere)), 0;

    command->prepare(line.words, options);
    for (const Setting& setting : line.settings)
        options.set(setting.name, setting.text, setting.origin);
    return command->run(line.words, options, everywhere.language);
}

}  // namespace

Line split_line(std::span<const std::string> arguments,
                const std::function<Takes(std::string_view name)>& takes) {
    Line line;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        std::string argument = arguments[i];
        if (argument == "--") {
            line.words.insert(line.words.end(), arguments.begin() + std::ptrdiff_t(i + 1),
                              arguments.end());
            break;
        }
        if (argument == "-h") argument = "--help";
        if (!is_option(argument)) {
            line.words.push_back(argument);
            continue;
        }
        if (!argument.starts_with("--"))
            fail_usage_english(
                "unknown option " + in_quotes(argument) +
                ": options begin with two dashes, and behind -- everything is a word");

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
                fail_usage_english(origin +
                                   ": expected a value; one that begins with -- is written " +
                                   origin + "=value");
            line.settings.push_back({name, "", origin});
        } else {
            line.settings.push_back({name, arguments[++i], origin});
        }
    }
    return line;
}

int run_command_line(const std::vector<std::string>& arguments, Commands commands) {
    const std::size_t place = place_of_command(arguments);
    if (place == arguments.size()) return run_without_command(arguments, commands);

    std::string name = arguments[place];
    std::vector<std::string> rest = arguments;
    rest.erase(rest.begin() + std::ptrdiff_t(place));
    if (name != "help") return run_named(name, rest, commands);

    // `zhuyi help train` is `zhuyi train --help`.
    rest.push_back("--help");
    const std::size_t topic = place_of_command(rest);
    if (topic == rest.size()) return run_without_command(rest, commands);
    name = rest[topic];
    rest.erase(rest.begin() + std::ptrdiff_t(topic));
    return run_named(name, rest, commands);
}

namespace {

std::string message_of(const std::exception& error) {
    if (dynamic_cast<const Error*>(&error)) return error.what();
    if (dynamic_cast<const std::bad_alloc*>(&error))
        return "not enough memory; a shorter text needs less, and so does a model of a smaller "
               "batch, context, channels or layers";
    // Whether something is there was asked for, and not even that is told: the folder cannot be
    // searched, the name is too long, links go round in a circle.
    if (const auto* place = dynamic_cast<const std::filesystem::filesystem_error*>(&error))
        return "cannot read " + place->path1().string() + ": " + place->code().message();
    return std::string("unexpected: ") + error.what();
}

}  // namespace

int report(const std::exception& error) {
    if (dynamic_cast<const OutputClosed*>(&error)) return 1;
    const std::string message = message_of(error);

    // A path may hold control characters, which the terminal must not obey.
    std::string shown = "zhuyi: ";
    for (const char c : message)
        shown += static_cast<unsigned char>(c) < 0x20 && c != '\n'
                     ? format("\\x%02x", unsigned(static_cast<unsigned char>(c)))
                     : std::string(1, c);
    std::fputs((shown + "\n").c_str(), stderr);
    return dynamic_cast<const UsageError*>(&error) ? 2 : 1;
}

}  // namespace zhuyi
