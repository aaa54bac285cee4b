// From the words of a command line to a command that runs.
//
//     zhuyi COMMAND words and options in any order
//     --key=value, --key value, --switch      '-' and '_' in a key are the same
//     --                                      everything behind it is a word
//     --help, --version, --lang zh|en         anywhere
#pragma once
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/command.h"

namespace zhuyi {

struct Setting {
    std::string name, text, origin;  // origin: how an error names it, "--steps"
};

struct Line {
    std::vector<std::string> words;
    std::vector<Setting> settings;
};

// A switch takes no value, its presence says yes; only where yes, no, on, off, true or false follows, this is its value.
enum class Takes { value, nothing, unknown };

// Throws UsageError where a value is missing; unknown options are left to Options::set, which names the nearest.
Line split_line(std::span<const std::string> arguments,
                const std::function<Takes(std::string_view name)>& takes);

using CommandFactory = std::unique_ptr<Command> (*)();

// `arguments` without the program's name. Returns the exit code; throws what the command throws.
int run_command_line(const std::vector<std::string>& arguments,
                     std::span<const CommandFactory> commands);

// Says on stderr what went wrong, in one line; returns the exit code: 1 failed, 2 wrong usage.
int report(const std::exception& error);

}  // namespace zhuyi
