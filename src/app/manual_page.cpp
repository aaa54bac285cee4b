#include "app/manual_page.h"

namespace zhuyi {
namespace {

// A line of roff: no character of it is taken for a request.
std::string roff(std::string_view text) {
    std::string safe;
    for (const char c : text) safe += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
    return safe.starts_with('.') || safe.starts_with('\'') ? "\\&" + safe : safe;
}

}  // namespace

std::string manual_page(std::span<const DescribedCommand> commands) {
    const auto words = [&](Words w) { return std::string(say(w)); };
    std::string text = ".TH ZHUYI 1\n.SH " + words({"NAME", "名称"}) + "\nzhuyi \\- " +
                       roff(words({"train a small GPT, and see what it attends to",
                                   "训练一个小 GPT，看它在注意什么"})) +
                       "\n.SH " + words({"SYNOPSIS", "用法"}) + "\n.B zhuyi\n" +
                       roff(words({"COMMAND ...", "命令 ..."})) + "\n.SH " +
                       words({"COMMANDS", "命令"}) + "\n";
    for (const DescribedCommand& command : commands) {
        text += ".SS " + roff("zhuyi " + command.name + " " + command.usage) + "\n" +
                roff(say(command.summary)) + "\n";
        for (const Options::Entry& entry : command.options) {
            const std::string value = is_switch(entry)         ? ""
                                      : entry.kind == "number" ? words({" <number>", " <数>"})
                                      : entry.kind == "text"   ? words({" <text>", " <文字>"})
                                                               : " " + entry.kind;
            text += ".TP\n.B " + roff("--" + option_name(entry) + value) + "\n" +
                    roff(say(entry.help)) + "\n";
            if (!entry.initial.empty() && !is_switch(entry))
                text += roff(say({"(default %s)", "（默认 %s）"}, entry.initial)) + "\n";
        }
    }
    return text + ".SH " + words({"EXIT STATUS", "退出码"}) + "\n" +
           roff(words({"0 done; 1 failed; 2 wrong usage; 128 and the signal: stopped and saved.",
                       "0 完成；1 失败；2 用法错误；128 加信号：已停止并保存。"})) +
           "\n";
}

}  // namespace zhuyi
