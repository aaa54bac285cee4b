// What a command line offers, from the commands and their one table of options: for completions of
// shells and the page of man.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "app/command_line.h"
#include "system/options.h"

namespace zhuyi {

// A command with its options and those of everywhere.
struct DescribedCommand {
    std::string name;
    Words summary;
    std::string usage;
    std::vector<Options::Entry> options;
};

// `everywhere`: options that every command understands.
std::vector<DescribedCommand> describe_commands(std::span<const CommandFactory> commands,
                                                const Options& everywhere);

std::string option_name(const Options::Entry& entry);  // as it is typed: "batch-size"
bool is_switch(const Options::Entry& entry);

// "learned|rotary" -> "learned rotary"; "" where any word may stand.
std::string choices_of(const Options::Entry& entry);

}  // namespace zhuyi
