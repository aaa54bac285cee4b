#include "app/described_command.h"

#include <algorithm>

namespace zhuyi {

std::vector<DescribedCommand> describe_commands(std::span<const CommandFactory> commands,
                                                const Options& everywhere) {
    std::vector<DescribedCommand> all;
    for (const CommandFactory make : commands) {
        const std::unique_ptr<Command> command = make();
        Options options;
        command->declare(options);
        DescribedCommand one{command->name(), command->summary(), command->usage(), {}};
        for (const Options* list : {static_cast<const Options*>(&options), &everywhere})
            for (const Options::Entry& entry : list->entries())
                if (!entry.hidden) one.options.push_back(entry);
        all.push_back(std::move(one));
    }
    return all;
}

std::string option_name(const Options::Entry& entry) {
    std::string name = entry.name;
    std::ranges::replace(name, '_', '-');
    return name;
}

std::string choices_of(const Options::Entry& entry) {
    if (entry.kind == "number" || entry.kind == "text") return "";
    std::string words = entry.kind;
    std::ranges::replace(words, '|', ' ');
    return words;
}

bool is_switch(const Options::Entry& entry) { return entry.kind == "yes|no"; }

}  // namespace zhuyi
