#include "system/folder_lock.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "base/check.h"
#include "support/scratch.h"

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
