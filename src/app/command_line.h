// From the words of a command line to a command that runs.
//
//     zhuyi COMMAND words and options in any order (system/options.h)
//     --help, --version, --lang zh|en         anywhere
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/command.h"

namespace zhuyi {

using CommandFactory = std::unique_ptr<Command> (*)();

// `arguments` without the program's name. Returns the exit code; throws what the command throws.
int run_command_line(const std::vector<std::string>& arguments,
                     std::span<const CommandFactory> commands);

}  // namespace zhuyi
