#include "app/completions.h"

#include <algorithm>

#include "base/check.h"
#include "system/printable.h"

namespace zhuyi {
namespace {

using Entry = Options::Entry;

// A command with its options and those of everywhere.
struct Described {
    std::string name;
    Words summary;
    std::string usage;
    std::vector<Entry> options;
};

std::vector<Described> described(std::span<const CommandFactory> commands,
                                 const Options& everywhere) {
    std::vector<Described> all;
    for (const CommandFactory make : commands) {
        const std::unique_ptr<Command> command = make();
        Options options;
        command->declare(options);
        Described one{command->name(), command->summary(), command->usage(), {}};
        for (const Options* list : {static_cast<const Options*>(&options), &everywhere})
            for (const Entry& entry : list->entries())
                if (!entry.hidden) one.options.push_back(entry);
        all.push_back(std::move(one));
    }
    return all;
}

std::string option_name(const Entry& entry) {
    std::string name = entry.name;
    std::ranges::replace(name, '_', '-');
    return name;
}

// "learned|rotary" -> "learned rotary"; "" where any word may stand.
std::string choices_of(const Entry& entry) {
    if (entry.kind == "number" || entry.kind == "text") return "";
    std::string words = entry.kind;
    std::ranges::replace(words, '|', ' ');
    return words;
}

bool is_switch(const Entry& entry) { return entry.kind == "yes|no"; }

// Each of these characters gets a backslash before it.
std::string escaped_for(const char* special, std::string_view text) {
    std::string safe;
    for (const char c : text) {
        if (std::string_view(special).find(c) != std::string_view::npos) safe += '\\';
        safe += c;
    }
    return safe;
}

std::string in_single_quotes(std::string_view text) {
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
    return quoted + "'";
}

// `--position le`, `--position=le`, of which bash makes three words, and `--history=no`.
std::string for_bash(const std::vector<Described>& commands) {
    std::string names, options, values;
    for (const Described& command : commands) {
        names += " " + command.name;
        options += "        " + command.name + ") words='";
        for (const Entry& entry : command.options) {
            const std::string option = "--" + option_name(entry);
            const std::string key = command.name + " " + option;
            options += option + " ";
            if (const std::string choices = choices_of(entry); !choices.empty())
                values += "        " + (is_switch(entry) ? "" : "'" + key + "'|") + "'" + key +
                          "=') words='" + choices + "' ;;\n";
        }
        options += "' ;;\n";
    }
    return "# zhuyi: completions for bash\n_zhuyi() {\n"
           "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=\n"
           "    local command=${COMP_WORDS[1]} equals=\n"
           "    if test \"$COMP_CWORD\" -eq 1; then\n"
           "        COMPREPLY=($(compgen -W '" +
           names.substr(1) +
           "' -- \"$current\"))\n        return\n    fi\n"
           "    if test \"$current\" = =; then\n"
           "        current= equals==\n"
           "    elif test \"$before\" = =; then\n"
           "        before=${COMP_WORDS[COMP_CWORD-2]} equals==\n    fi\n"
           "    case \"$command $before$equals\" in\n" +
           values +
           "    esac\n"
           "    if test -z \"$words\" && test \"${current#-}\" != \"$current\"; then\n"
           "        case \"$command\" in\n" +
           options +
           "        esac\n    fi\n"
           "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
           "}\ncomplete -o default -F _zhuyi zhuyi\n";
}

std::string for_zsh(const std::vector<Described>& commands, Language language) {
    std::string names, cases;
    for (const Described& command : commands) {
        names +=
            "    " +
            in_single_quotes(command.name + ":" + escaped_for(":", command.summary.in(language))) +
            "\n";
        cases += "    " + command.name + ") _arguments";
        for (const Entry& entry : command.options) {
            const std::string help = escaped_for("[]:\\", entry.help.in(language));
            const std::string choices = choices_of(entry);
            // = allows `--name value` and `--name=value`, =- and :: the latter or nothing.
            std::string spec = "--" + option_name(entry) + (is_switch(entry) ? "=-" : "=");
            spec += "[" + help + "]" + (is_switch(entry) ? ":: :" : ": :");
            if (!choices.empty())
                spec += "(" + choices + ")";
            else if (entry.kind == "text")
                spec += "_files";
            cases += " \\\n        " + in_single_quotes(spec);
        }
        cases += " \\\n        '*: :_files' ;;\n";
    }
    return "#compdef zhuyi\n# zhuyi: completions for zsh\nlocal -a commands\ncommands=(\n" + names +
           ")\nif (( CURRENT == 2 )); then\n    _describe command commands\n    return\nfi\n"
           "local command=$words[2]\nshift words\n(( CURRENT-- ))\ncase $command in\n" +
           cases + "esac\n";
}

// The command is the first word: a text or a run may be called as another command is.
std::string for_fish(const std::vector<Described>& commands, Language language) {
    std::string text =
        "# zhuyi: completions for fish\n"
        "function __zhuyi_command\n"
        "    set -l words (commandline -opc)\n"
        "    test \"$words[2]\" = \"$argv[1]\"\nend\n";
    for (const Described& command : commands)
        text += "complete -c zhuyi -n '__zhuyi_command \"\"' -f -a " + command.name + " -d " +
                in_single_quotes(command.summary.in(language)) + "\n";
    for (const Described& command : commands)
        for (const Entry& entry : command.options) {
            text += "complete -c zhuyi -n '__zhuyi_command " + command.name + "' -l " +
                    option_name(entry);
            const std::string choices = choices_of(entry);
            text += is_switch(entry) ? " -f" : entry.kind == "text" ? " -r" : " -x";
            if (!choices.empty()) text += " -a '" + choices + "'";
            text += " -d " + in_single_quotes(entry.help.in(language)) + "\n";
        }
    return text;
}

// A line of roff: no character of it is taken for a request.
std::string roff(std::string_view text) {
    std::string safe;
    for (const char c : text) safe += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
    return safe.starts_with('.') || safe.starts_with('\'') ? "\\&" + safe : safe;
}

std::string for_man(const std::vector<Described>& commands, Language language) {
    const auto words = [&](Words w) { return std::string(w.in(language)); };
    std::string text = ".TH ZHUYI 1\n.SH " + words({"NAME", "名称"}) + "\nzhuyi \\- " +
                       roff(words({"train a small GPT, and see what it attends to",
                                   "训练一个小 GPT，看它在注意什么"})) +
                       "\n.SH " + words({"SYNOPSIS", "用法"}) + "\n.B zhuyi\n" +
                       roff(words({"COMMAND ...", "命令 ..."})) + "\n.SH " +
                       words({"COMMANDS", "命令"}) + "\n";
    for (const Described& command : commands) {
        text += ".SS " + roff("zhuyi " + command.name + " " + command.usage) + "\n" +
                roff(command.summary.in(language)) + "\n";
        for (const Entry& entry : command.options) {
            const std::string value = is_switch(entry)         ? ""
                                      : entry.kind == "number" ? words({" <number>", " <数>"})
                                      : entry.kind == "text"   ? words({" <text>", " <文字>"})
                                                               : " " + entry.kind;
            text += ".TP\n.B " + roff("--" + option_name(entry) + value) + "\n" +
                    roff(entry.help.in(language)) + "\n";
            if (!entry.initial.empty() && !is_switch(entry))
                text +=
                    roff(say({"(default %s)", "（默认 %s）"}, entry.initial).in(language)) + "\n";
        }
    }
    return text + ".SH " + words({"EXIT STATUS", "退出码"}) + "\n" +
           roff(words({"0 done; 1 failed; 2 wrong usage; 128 and the signal: stopped and saved.",
                       "0 完成；1 失败；2 用法错误；128 加信号：已停止并保存。"})) +
           "\n";
}

}  // namespace

std::string completions(const std::string& kind, std::span<const CommandFactory> commands,
                        const Options& everywhere, Language language) {
    const std::vector<Described> all = described(commands, everywhere);
    if (kind == "bash") return for_bash(all);
    if (kind == "zsh") return for_zsh(all, language);
    if (kind == "fish") return for_fish(all, language);
    if (kind == "man") return for_man(all, language);
    fail_usage({"completions takes bash, zsh, fish or man; found %s",
                "completions 需要 bash、zsh、fish 或 man，这里是%s"},
               in_quotes(kind));
}

}  // namespace zhuyi
