// Runs the real program at a terminal of a chosen width, as in a person's window.
#pragma once
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <stdexcept>

#include "support/program.h"

namespace zhuyi {
inline namespace support {

// Everything that the program prints, on stdout and stderr, at a terminal of so many columns.
inline Outcome run_at_terminal(const std::vector<std::string>& arguments, unsigned short columns) {
    const int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
        throw std::runtime_error("no pseudo terminal");
    const std::string name = ptsname(master);
    const winsize size{24, columns, 0, 0};
    std::string words = "\"$ZHUYI\"";
    for (const std::string& argument : arguments) words += " " + shell_quoted(argument);
    // Kept open here, so that the width stays and the end of the output can be read.
    const int slave = open(name.c_str(), O_RDWR | O_NOCTTY);
    if (slave < 0 || ioctl(slave, TIOCSWINSZ, &size) != 0)
        throw std::runtime_error("cannot set the width of a pseudo terminal");
    std::string shown;
    const pid_t child = fork();
    if (child == 0) {
        for (int file = 0; file <= 2; ++file) dup2(slave, file);
        const char* binary = std::getenv("ZHUYI_BINARY");
        setenv("ZHUYI", binary ? binary : "", 1);
        setenv("TERM", "xterm-256color", 1);
        setenv("LC_ALL", "C", 1);
        execl("/bin/sh", "sh", "-c", words.c_str(), nullptr);
        _exit(127);
    }
    ::close(slave);
    char piece[4096];
    // At the end Linux gives EIO, other systems give 0 bytes.
    for (ssize_t count; (count = read(master, piece, sizeof piece)) > 0;)
        shown.append(piece, std::size_t(count));
    int status = 0;
    waitpid(child, &status, 0);
    ::close(master);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), shown, ""};
}

}  // namespace support
}  // namespace zhuyi
