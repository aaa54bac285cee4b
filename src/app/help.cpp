#include "app/help.h"

#include "base/check.h"
#include "system/printable.h"

namespace zhuyi {

std::string program_help(std::span<const CommandFactory> commands) {
    constexpr Words kUsage = {
        "zhuyi (注意, attention): train a small GPT, and see what it attends to\n\n"
        "usage: zhuyi COMMAND …\n\n",
        "zhuyi（注意）：训练一个小 GPT，看它在注意什么\n\n用法：zhuyi 命令 …\n\n"};
    constexpr Words kMore = {"\nzhuyi COMMAND --help explains one of them.\n",
                             "\nzhuyi 命令 --help 显示这个命令的用法。\n"};
    std::string text = say(kUsage);
    for (const CommandFactory make : commands) {
        const std::unique_ptr<Command> command = make();
        text += "  " + fit_left(command->name(), 10) + " " + say(command->summary()) + "\n";
    }
    return text + say(kMore);
}

std::string command_help(const Command& command, const Options& options,
                         const Options& everywhere) {
    return say({"usage: zhuyi %s %s\n\n%s\n\n", "用法：zhuyi %s %s\n\n%s\n\n"}, command.name(),
               command.usage(), command.summary()) +
           options.help() + (options.entries().empty() ? "" : "\n") + everywhere.help();
}

}  // namespace zhuyi
