#include "system/disk.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>

#include "support/scratch.h"
#include "system/input_file.h"

using namespace zhuyi;

namespace {

// A file to write to; afterwards nothing goes wrong any more.
struct Paper {
    ScratchFolder folder;
    int file = open(folder.path("a").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ~Paper() {
        close(file);
        disk::inject(disk::Fault::short_write, PTRDIFF_MAX);
    }
    ssize_t write(const char* text) const { return disk::write(file, text, std::strlen(text)); }
    std::string read() const { return folder.read("a"); }
};

}  // namespace

TEST_CASE("disk: a short write happens once, and is no error") {
    const Paper paper;
    disk::inject(disk::Fault::short_write, 2);
    CHECK(paper.write("1234") == 4);
    CHECK(paper.write("5678") == 2);
    CHECK(paper.write("78") == 2);
    CHECK(paper.read() == "12345678");
}

TEST_CASE("disk: when it is full the write that does not fit is short, and the next ones fail") {
    const Paper paper;
    disk::inject(disk::Fault::no_space, 1);
    CHECK(paper.write("1234") == 2);
    CHECK(paper.write("34") == -1);
    CHECK(errno == ENOSPC);
    CHECK(disk::sync(paper.file) == 0);
    CHECK(disk::rename(paper.folder.path("a"), paper.folder.path("b")) == 0);
    CHECK(paper.write("34") == -1);
    CHECK(paper.folder.read("b") == "12");
}

TEST_CASE("disk: when it dies writing and syncing fail") {
    const Paper paper;
    disk::inject(disk::Fault::io_error, 2);
    CHECK(paper.write("12") == 2);
    CHECK(disk::sync(paper.file) == -1);
    CHECK(errno == EIO);
    CHECK(paper.write("34") == -1);
    CHECK(paper.read() == "12");
}

TEST_CASE("disk: a process is killed in the middle of a write") {
    const Paper paper;
    const pid_t child = fork();
    if (child == 0) {
        disk::inject(disk::Fault::kill, 2);
        paper.write("1234");
        paper.write("5678");
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFSIGNALED(status));
    CHECK(paper.read() == "123456");
}

TEST_CASE("disk: where it cannot be read that is said as such, and not as damage of the file") {
    const ScratchFolder folder;
    folder.write("a", "1234");
    disk::inject(disk::Fault::unreadable, 2);
    CHECK_THROWS_AS(read_file(folder.path("a")), DiskError);
    disk::inject(disk::Fault::unreadable, PTRDIFF_MAX);
    CHECK(read_file(folder.path("a")) == "1234");
}
