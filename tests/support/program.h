// Runs the real program as a shell does. `make test` says where it is, by ZHUYI_BINARY.
#pragma once
#include <sys/wait.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/scratch.h"

namespace zhuyi {
inline namespace support {

struct Outcome {
    int code;  // 128 + signal when it was killed
    std::string out, err;
};

inline std::string shell_quoted(const std::string& text) {
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
    return quoted + "'";
}

// Runs a line of sh in which $ZHUYI is the program, such as "\"$ZHUYI\" --help | head -1". In
// English, whatever the locale.
inline Outcome run_shell(const std::string& line) {
    const char* binary = std::getenv("ZHUYI_BINARY");
    if (!binary) throw std::runtime_error("ZHUYI_BINARY is not set: run the tests by `make test`");
    const ScratchFolder folder;
    const std::string script =
        folder.write("script", "ZHUYI=" + shell_quoted(std::string(binary)) + "\n" + line + "\n");
    const int status = std::system(("LC_ALL=C sh " + shell_quoted(script) + " >" +
                                    shell_quoted(folder.path("out")) + " 2>" +
                                    shell_quoted(folder.path("err")) + " </dev/null")
                                       .c_str());
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return {code, folder.read("out"), folder.read("err")};
}

inline Outcome run_program(const std::vector<std::string>& arguments) {
    std::string line = "\"$ZHUYI\"";
    for (const std::string& argument : arguments) line += " " + shell_quoted(argument);
    return run_shell(line);
}

}  // namespace support
}  // namespace zhuyi
