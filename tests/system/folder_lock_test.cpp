#include "system/folder_lock.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "base/check.h"
#include "support/scratch.h"
#include "system/disk.h"

using namespace zhuyi;

namespace {

constexpr Words kAnother{"another training", "另一个训练"};

}  // namespace

TEST_CASE("folder lock: one at a time, until it is given back") {
    const ScratchFolder folder;
    {
        const FolderLock lock(folder.path(), kAnother);
        CHECK_THROWS_WITH_AS(FolderLock(folder.path(), kAnother),
                             doctest::Contains("another training is at work"), Error);
        CHECK(std::filesystem::is_empty(folder.path()));
    }
    CHECK_NOTHROW(FolderLock(folder.path(), kAnother));
    CHECK_THROWS_WITH_AS(FolderLock(folder.path("none"), kAnother), doctest::Contains("none"),
                         Error);
}

TEST_CASE("folder lock: where the disk knows no locks, a file says who is at work") {
    const ScratchFolder folder;
    struct NoLocks {
        NoLocks() { disk::inject(disk::Fault::no_locks, PTRDIFF_MAX); }
        ~NoLocks() { disk::inject(disk::Fault::short_write, PTRDIFF_MAX); }
    } const network_disk;
    const std::string file = folder.path(kLockFile);
    {
        const FolderLock lock(folder.path(), kAnother);
        CHECK(folder.read(kLockFile).find(std::to_string(getpid())) != std::string::npos);
        CHECK_NOTHROW(FolderLock(folder.path(), kAnother, false));  // --no-lock
    }
    CHECK(std::filesystem::is_empty(folder.path()));
    folder.write(kLockFile, "elsewhere 1 2026-01-01T00:00:00Z\n");
    CHECK_THROWS_WITH_AS(FolderLock(folder.path(), kAnother), doctest::Contains("elsewhere 1"),
                         Error);
    CHECK(std::filesystem::exists(file));
    const pid_t child = fork();  // of this host, and gone
    if (child == 0) {
        _exit(0);
    }
    waitpid(child, nullptr, 0);
    std::string gone;
    {
        std::filesystem::remove(file);
        const FolderLock lock(folder.path(), kAnother);
        gone = folder.read(kLockFile);
    }
    const std::size_t space = gone.find(' ');
    folder.write(kLockFile, gone.substr(0, space + 1) + std::to_string(child) + " long ago\n");
    CHECK_NOTHROW(FolderLock(folder.path(), kAnother));
    CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE("folder lock: a process that was killed leaves none") {
    const ScratchFolder folder;
    int ready[2];
    REQUIRE(pipe(ready) == 0);
    const pid_t child = fork();
    if (child == 0) {
        const FolderLock lock(folder.path(), kAnother);
        const bool told = write(ready[1], "x", 1) == 1;
        for (;;) told ? static_cast<void>(pause()) : _exit(1);
    }
    char byte;
    REQUIRE(read(ready[0], &byte, 1) == 1);
    CHECK_THROWS_AS(FolderLock(folder.path(), kAnother), Error);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    CHECK_NOTHROW(FolderLock(folder.path(), kAnother));
    close(ready[0]), close(ready[1]);
}
