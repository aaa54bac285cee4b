#include "app/command.h"

#include <algorithm>

#include "app/help.h"
#include "base/check.h"
#include "base/format.h"
#include "kernels/kernels.h"
#include "system/options.h"
#include "system/printable.h"
#include "system/terminal.h"

namespace zhuyi {
namespace {

// Of which commit it was built, and the instructions that it calculates with here.
std::string version() {
    return format("zhuyi 0.1.0 (%s, %s)\n", commit_of_build(), kernels().name);
}

// Options that every command understands.
struct Everywhere {
    Language language = default_language();  // main has set it already: this is for --help
    bool help = false, version = false;
    Options options;

    Everywhere() {
        options.group({"Everywhere", "通用"});
        options.choice<Language>(
            "lang", language, {{"zh", Language::chinese}, {"en", Language::english}},
            {"language of help, progress and reports", "帮助、进度和报告的语言"});
        options.add("help", help, {"explain the command", "显示用法"});
        options.add("version", version, {"print the version", "显示版本"});
    }
    Everywhere(const Everywhere&) = delete;
    Everywhere& operator=(const Everywhere&) = delete;
};

using Commands = std::span<const CommandFactory>;

std::unique_ptr<Command> command_named(const std::string& name, Commands commands) {
    std::vector<std::string> names{"help"};
    for (const CommandFactory make : commands) {
        std::unique_ptr<Command> command = make();
        if (name == command->name()) return command;
        names.push_back(command->name());
    }
    const std::string nearest = nearest_word(name, names);
    const std::string advice =
        nearest.empty() ? say({"zhuyi --help lists all commands", "zhuyi --help 列出全部命令"})
                        : say({"did you mean zhuyi %s?", "是不是 zhuyi %s？"}, nearest);
    fail_usage({"there is no command %s; %s", "没有命令 %s；%s"}, in_quotes(name), advice);
}

// Options for everywhere may stand before the command; none but --lang takes a value.
std::size_t index_of_command(const std::vector<std::string>& arguments) {
    std::size_t at = 0;
    while (at < arguments.size() && is_option(arguments[at]))
        at += std::size_t(arguments[at] == "--lang" ? 2 : 1);
    return std::min(at, arguments.size());
}

// Takes the settings that belong to everywhere out of the line.
void take_settings(Everywhere& everywhere, Arguments& line) {
    std::erase_if(line.settings, [&](const Setting& setting) {
        if (!everywhere.options.has(setting.name)) return false;
        everywhere.options.set(setting.name, setting.text, setting.origin);
        return true;
    });
}

int run_without_command(const std::vector<std::string>& arguments, Commands commands) {
    Everywhere everywhere;
    Arguments line = split_line(arguments, {&everywhere.options});
    take_settings(everywhere, line);
    for (const Setting& setting : line.settings)
        everywhere.options.set(setting.name, setting.text, setting.origin);  // unknown: throws
    const std::string text = everywhere.version ? version() : program_help(commands);
    if (everywhere.version || everywhere.help) return print(text), 0;
    tell(text);
    return 2;
}

int run_named(const std::string& name, const std::vector<std::string>& arguments,
              Commands commands) {
    const std::unique_ptr<Command> command = command_named(name, commands);
    Everywhere everywhere;
    Options options;
    command->declare(options);
    Arguments line = split_line(arguments, {&everywhere.options, &options});
    take_settings(everywhere, line);
    if (everywhere.version) return print(version()), 0;
    if (everywhere.help) return print(command_help(*command, options, everywhere.options)), 0;

    command->prepare(line.words, options);
    for (const Setting& setting : line.settings)
        options.set(setting.name, setting.text, setting.origin);
    return command->run(line.words, options);
}

// `zhuyi completions bash`: not in the list of commands, because `make install` asks for it.
int run_completions(std::vector<std::string> arguments, Commands commands) {
    Everywhere everywhere;
    Arguments line = split_line(arguments, {&everywhere.options});
    take_settings(everywhere, line);
    const std::string kind = line.words.size() == 2 ? line.words[1] : "";
    print(completions(kind, commands, everywhere.options));
    return 0;
}

}  // namespace

int run_command_line(const std::vector<std::string>& arguments, Commands commands) {
    const std::size_t at = index_of_command(arguments);
    if (at == arguments.size()) return run_without_command(arguments, commands);

    if (arguments[at] == "completions") return run_completions(arguments, commands);
    std::string name = arguments[at];
    std::vector<std::string> rest = arguments;
    rest.erase(rest.begin() + std::ptrdiff_t(at));
    if (name != "help") return run_named(name, rest, commands);

    // `zhuyi help train` is `zhuyi train --help`.
    rest.push_back("--help");
    const std::size_t topic = index_of_command(rest);
    if (topic == rest.size()) return run_without_command(rest, commands);
    name = rest[topic];
    rest.erase(rest.begin() + std::ptrdiff_t(topic));
    return run_named(name, rest, commands);
}

}  // namespace zhuyi
