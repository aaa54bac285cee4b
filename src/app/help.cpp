#include "app/help.h"

#include <algorithm>
#include <filesystem>
#include <new>

#include "base/check.h"
#include "base/format.h"
#include "system/printable.h"
#include "system/terminal.h"

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

std::string choices_of(const Options::Entry& entry) {
    if (entry.kind == "number" || entry.kind == "text") return "";
    std::string words = entry.kind;
    std::ranges::replace(words, '|', ' ');
    return words;
}

bool is_switch(const Options::Entry& entry) { return entry.kind == "yes|no"; }

// A line of roff: no character of it is taken for a request.
static std::string roff(std::string_view text) {
    std::string safe;
    for (const char c : text) safe += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
    return safe.starts_with('.') || safe.starts_with('\'') ? "\\&" + safe : safe;
}

std::string manual_page(std::span<const CommandFactory> commands, const Options& everywhere) {
    const auto words = [&](Words w) { return std::string(say(w)); };
    std::string text = ".TH ZHUYI 1\n.SH " + words({"NAME", "名称"}) + "\nzhuyi \\- " +
                       roff(words({"train a small GPT, and see what it attends to",
                                   "训练一个小 GPT，看它在注意什么"})) +
                       "\n.SH " + words({"SYNOPSIS", "用法"}) + "\n.B zhuyi\n" +
                       roff(words({"COMMAND ...", "命令 ..."})) + "\n.SH " +
                       words({"COMMANDS", "命令"}) + "\n";
    for_each_command(commands, everywhere, [&](const Command& command, const auto& options) {
        text += ".SS " + roff(format("zhuyi %s %s", command.name(), command.usage())) + "\n" +
                roff(say(command.summary())) + "\n";
        for (const Options::Entry& entry : options) {
            const std::string value = is_switch(entry)         ? ""
                                      : entry.kind == "number" ? words({" <number>", " <数>"})
                                      : entry.kind == "text"   ? words({" <text>", " <文字>"})
                                                               : " " + entry.kind;
            text += ".TP\n.B " + roff("--" + Options::typed_name(entry) + value) + "\n" +
                    roff(say(entry.help)) + "\n";
            if (!entry.initial.empty() && !is_switch(entry))
                text += roff(say({"(default %s)", "（默认 %s）"}, entry.initial)) + "\n";
        }
    });
    return text + ".SH " + words({"EXIT STATUS", "退出码"}) + "\n" +
           roff(words({"0 done; 1 failed; 2 wrong usage; 128 and the signal: stopped and saved.",
                       "0 完成；1 失败；2 用法错误；128 加信号：已停止并保存。"})) +
           "\n";
}

static std::string message_of(const std::exception& error) {
    if (const auto* known = dynamic_cast<const Error*>(&error)) return known->what();
    if (dynamic_cast<const std::bad_alloc*>(&error))
        return say(
            {"not enough memory; a shorter text needs less, and so does a model of a "
             "smaller batch, context, channels or layers",
             "内存不够。缩短文本，或减小 batch、context、channels、layers，都会少用内存"});
    // Whether something is there was asked for, and the system does not tell even that: the folder
    // cannot be searched, the name is too long, links go round in a circle.
    if (const auto* place = dynamic_cast<const std::filesystem::filesystem_error*>(&error))
        return say({"cannot read %s: %s", "无法读取 %s：%s"}, place->path1().string(),
                   place->code().message());
    return say({"unexpected: %s", "意外的错误：%s"}, error.what());
}

int report(const std::exception& error) {
    if (dynamic_cast<const OutputClosed*>(&error)) return 1;

    tell(say({"zhuyi: ", "zhuyi："}) + message_of(error) + "\n");
    return dynamic_cast<const UsageError*>(&error) ? 2 : 1;
}

}  // namespace zhuyi
