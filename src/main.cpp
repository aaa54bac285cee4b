// The program: the list of commands, and the one place that catches errors.
#include <exception>
#include <string>
#include <vector>

#include "app/command.h"
#include "app/help.h"
#include "base/language.h"
#include "system/machine.h"
#include "system/options.h"
#include "system/terminal.h"

int main(int count, char** values) {
    using namespace zhuyi;
    const std::vector<std::string> arguments(values + (count > 0), values + count);
    speak(language_of(arguments));
    try {
        prepare_streams();
        return_freed_memory();
        const std::vector<CommandFactory> commands = {
            train_command,     sample_command, attend_command, probe_command,   eval_command,
            params_command,    tokens_command, data_command,   course_command,  explain_command,
            neighbors_command, watch_command,  report_command, compare_command, step_command,
            verify_command,    runs_command,   export_command, import_command,  bench_command};
        const int exit_code = run_command_line(arguments, commands);
        finish_output();
        return exit_code;
    } catch (const std::exception& error) {
        return report(error);
    }
}
