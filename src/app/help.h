// What the program says of itself: help, completions for shells, the page of man, its version, and
// what went wrong. All of it but errors comes from the commands and their one table of options.
#pragma once
#include <exception>
#include <span>
#include <string>
#include <vector>

#include "app/command.h"
#include "base/language.h"
#include "system/options.h"

namespace zhuyi {

// What `zhuyi --help` and `zhuyi COMMAND --help` print.
std::string program_help(std::span<const CommandFactory> commands);

// `everywhere`: options that every command understands.
std::string command_help(const Command& command, const Options& options, const Options& everywhere);

// Calls tell(command, options) for each command. The options are its own and those of everywhere,
// without the hidden ones.
template <class Tell>
void for_each_command(std::span<const CommandFactory> commands, const Options& everywhere,
                      const Tell& tell) {
    for (const CommandFactory make : commands) {
        const std::unique_ptr<Command> command = make();
        Options own;
        command->declare(own);
        std::vector<Options::Entry> options;
        for (const Options* list : {&std::as_const(own), &everywhere})
            for (const Options::Entry& entry : list->entries())
                if (!entry.hidden) options.push_back(entry);
        tell(*command, options);
    }
}

bool is_switch(const Options::Entry& entry);

// "learned|rotary" -> "learned rotary"; "" where any word may stand.
std::string choices_of(const Options::Entry& entry);

// The page of man: all commands and their options.
std::string manual_page(std::span<const CommandFactory> commands, const Options& everywhere);

// Says on stderr what went wrong; returns the exit code: 1 failed, 2 wrong usage.
int report(const std::exception& error);

// Which sources this program was built from: "81d5f59"; with "-dirty" after it when they were
// changed since; "unknown" without git. The Makefile writes it (build/version.cpp).
const char* commit_of_build();

// What a shell and man read; `make install` puts it where they look. kind: "bash", "zsh", "fish" or
// "man". `everywhere`: options that every command understands.
// UsageError for another kind.
std::string completions(const std::string& kind, std::span<const CommandFactory> commands,
                        const Options& everywhere);

}  // namespace zhuyi
