// What a shell and man know of the program: all of it from the commands and their one table of
// options. `make install` puts it where they look.
#pragma once
#include <span>
#include <string>

#include "app/command_line.h"
#include "system/options.h"

namespace zhuyi {

// kind: "bash", "zsh", "fish" or "man". `everywhere`: options that every command understands.
// UsageError for another kind.
std::string completions(const std::string& kind, std::span<const CommandFactory> commands,
                        const Options& everywhere);

}  // namespace zhuyi
