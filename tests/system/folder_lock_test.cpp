#include "system/folder_lock.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "base/check.h"
#include "support/scratch.h"

using namespace zhuyi;

TEST_CASE("folder lock: one at a time, until it is given back") {
    const ScratchFolder folder;
    {
        const FolderLock lock(folder.path(), "another training");
        CHECK_THROWS_WITH_AS(FolderLock(folder.path(), "another training"),
                             doctest::Contains("another training is at work"), Error);
        CHECK(std::filesystem::is_empty(folder.path()));
    }
    CHECK_NOTHROW(FolderLock(folder.path(), "another training"));
    CHECK_THROWS_WITH_AS(FolderLock(folder.path("none"), ""), doctest::Contains("none"), Error);
}

TEST_CASE("folder lock: a process that was killed leaves none behind") {
    const ScratchFolder folder;
    int ready[2];
    REQUIRE(pipe(ready) == 0);
    const pid_t child = fork();
    if (child == 0) {
        const FolderLock lock(folder.path(), "");
        const bool told = write(ready[1], "x", 1) == 1;
        for (;;) told ? static_cast<void>(pause()) : _exit(1);
    }
    char byte;
    REQUIRE(read(ready[0], &byte, 1) == 1);
    CHECK_THROWS_AS(FolderLock(folder.path(), "it"), Error);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    CHECK_NOTHROW(FolderLock(folder.path(), "it"));
    close(ready[0]), close(ready[1]);
}
