#include "app/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "base/unicode.h"

namespace zhuyi {
namespace {

[[noreturn]] void fail_output(int error) {
    if (error == EPIPE) throw OutputClosed();
    fail(std::string("cannot write to standard output: ") + std::strerror(error));
}

bool is_pipe(int file) {
    struct stat status = {};
    return fstat(file, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

}  // namespace

void print(std::string_view text) {
    const std::size_t written = std::fwrite(text.data(), 1, text.size(), stdout);
    if (written < text.size() || std::fflush(stdout) != 0) fail_output(errno);
}

std::string visible(std::string_view text) {
    std::string shown;
    for (std::string_view rest = text; !rest.empty();) {
        const CodePoint c = first_code_point(rest);
        if (c.bytes == 0 || (c.value >= 0x80 && c.value < 0xA0))
            append_code_point(shown, 0xFFFD);
        else if (c.value == 0x7F)
            append_code_point(shown, 0x2421);
        else if (c.value < 0x20 && c.value != '\n' && c.value != '\t')
            append_code_point(shown, 0x2400 + c.value);
        else
            shown += rest.substr(0, c.bytes);
        rest.remove_prefix(std::max<std::size_t>(1, c.bytes));
    }
    return shown;
}

void prepare_streams() {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    // Open for reading only: writing to a standard output that was closed still fails.
    for (int file = 0; file <= 2; ++file)
        if (fcntl(file, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != file)
            fail("cannot open /dev/null");
}

void finish_output() {
    if (std::fflush(stdout) != 0) fail_output(errno);
    // An earlier write failed, and why has been forgotten; into a pipe there is one reason.
    if (std::ferror(stdout)) fail_output(is_pipe(1) ? EPIPE : EIO);
}

}  // namespace zhuyi
