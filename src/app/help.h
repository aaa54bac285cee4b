// What `zhuyi --help` and `zhuyi COMMAND --help` print.
#pragma once
#include <span>
#include <string>

#include "app/command_line.h"

namespace zhuyi {

std::string program_help(std::span<const CommandFactory> commands);

// `everywhere`: options that every command understands.
std::string command_help(const Command& command, const Options& options, const Options& everywhere);

}  // namespace zhuyi
