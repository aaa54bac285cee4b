#include "app/help.h"

#include "base/check.h"
#include "system/printable.h"

namespace zhuyi {
namespace {

using Entry = Options::Entry;

// Each of these characters gets a backslash before it.
std::string escaped_for(const char* special, std::string_view text) {
    std::string safe;
    for (const char c : text) {
        if (std::string_view(special).find(c) != std::string_view::npos) safe += '\\';
        safe += c;
    }
    return safe;
}

// `--position le`, `--position=le`, of which bash makes three words, and `--history=no`.
std::string for_bash(std::span<const CommandFactory> commands, const Options& everywhere) {
    std::string names, options, values;
    for_each_command(commands, everywhere, [&](const Command& command, const auto& entries) {
        const std::string name = command.name();
        names += " " + name;
        options += "        " + name + ") words='";
        for (const Entry& entry : entries) {
            const std::string option = "--" + Options::typed_name(entry);
            const std::string key = name + " " + option;
            options += option + " ";
            if (const std::string choices = choices_of(entry); !choices.empty())
                values += "        " + (is_switch(entry) ? "" : "'" + key + "'|") + "'" + key +
                          "=') words='" + choices + "' ;;\n";
        }
        options += "' ;;\n";
    });
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

std::string for_zsh(std::span<const CommandFactory> commands, const Options& everywhere) {
    std::string names, cases;
    for_each_command(commands, everywhere, [&](const Command& command, const auto& entries) {
        const std::string name = command.name();
        names +=
            "    " + shell_quoted(name + ":" + escaped_for(":", say(command.summary()))) + "\n";
        cases += "    " + name + ") _arguments";
        for (const Entry& entry : entries) {
            const std::string help = escaped_for("[]:\\", say(entry.help));
            const std::string choices = choices_of(entry);
            // = allows `--name value` and `--name=value`, =- and :: the latter or nothing.
            std::string spec = "--" + Options::typed_name(entry) + (is_switch(entry) ? "=-" : "=");
            spec += "[" + help + "]" + (is_switch(entry) ? ":: :" : ": :");
            if (!choices.empty())
                spec += "(" + choices + ")";
            else if (entry.kind == "text")
                spec += "_files";
            cases += " \\\n        " + shell_quoted(spec);
        }
        cases += " \\\n        '*: :_files' ;;\n";
    });
    return "#compdef zhuyi\n# zhuyi: completions for zsh\nlocal -a commands\ncommands=(\n" + names +
           ")\nif (( CURRENT == 2 )); then\n    _describe command commands\n    return\nfi\n"
           "local command=$words[2]\nshift words\n(( CURRENT-- ))\ncase $command in\n" +
           cases + "esac\n";
}

// The command is the first word: a text or a run may be called as another command is.
std::string for_fish(std::span<const CommandFactory> commands, const Options& everywhere) {
    std::string names, options;
    for_each_command(commands, everywhere, [&](const Command& command, const auto& entries) {
        const std::string name = command.name();
        names += "complete -c zhuyi -n '__zhuyi_command \"\"' -f -a " + name + " -d " +
                 shell_quoted(say(command.summary())) + "\n";
        for (const Entry& entry : entries) {
            options += "complete -c zhuyi -n '__zhuyi_command " + name + "' -l " +
                       Options::typed_name(entry);
            const std::string choices = choices_of(entry);
            options += is_switch(entry) ? " -f" : entry.kind == "text" ? " -r" : " -x";
            if (!choices.empty()) options += " -a '" + choices + "'";
            options += " -d " + shell_quoted(say(entry.help)) + "\n";
        }
    });
    return "# zhuyi: completions for fish\n"
           "function __zhuyi_command\n"
           "    set -l words (commandline -opc)\n"
           "    test \"$words[2]\" = \"$argv[1]\"\nend\n" +
           names + options;
}

}  // namespace

std::string completions(const std::string& kind, std::span<const CommandFactory> commands,
                        const Options& everywhere) {
    if (kind == "bash") return for_bash(commands, everywhere);
    if (kind == "zsh") return for_zsh(commands, everywhere);
    if (kind == "fish") return for_fish(commands, everywhere);
    if (kind == "man") return manual_page(commands, everywhere);
    fail_usage({"completions takes bash, zsh, fish or man; found %s",
                "completions 需要 bash、zsh、fish 或 man，这里是%s"},
               in_quotes(kind));
}

}  // namespace zhuyi
