#include "system/atomic_file.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>

#include "base/check.h"
#include "support/scratch.h"
#include "system/disk.h"

using namespace zhuyi;
namespace fs = std::filesystem;

TEST_CASE("a folder is there when it is complete, and nothing is left of one that is given up") {
    const ScratchFolder scratch;
    const std::string path = scratch.path("runs/猫/");
    {
        const AtomicFolder given_up(path);
        write_file(given_up.file("a"), "1");
        CHECK(!fs::exists(path));
    }
    CHECK(fs::is_empty(scratch.path("runs")));
    AtomicFolder folder(path);
    write_file(folder.file("a"), "2");
    folder.commit();
    CHECK(read_file(scratch.path("runs/猫/a")) == "2");
    CHECK(std::distance(fs::directory_iterator(scratch.path("runs")), {}) == 1);
}

TEST_CASE("a folder never takes the place of something, but for an empty folder") {
    const ScratchFolder scratch;
    scratch.write("file", "kept");
    CHECK_THROWS_AS(AtomicFolder{scratch.path("file")}, UsageError);
    CHECK_THROWS_AS(AtomicFolder{scratch.path()}, UsageError);
    CHECK(scratch.read("file") == "kept");
    fs::create_directory(scratch.path("empty"));
    AtomicFolder folder(scratch.path("empty"));
    folder.commit();
    CHECK(fs::exists(scratch.path("empty")));
}

TEST_CASE("what a killed process left is removed") {
    const ScratchFolder scratch;
    fs::create_directory(scratch.path(".x.partial"));
    scratch.write(".x.partial/old", "");
    AtomicFolder folder(scratch.path("x"));
    folder.commit();
    CHECK(fs::is_empty(scratch.path("x")));
}

TEST_CASE("folders above are made, and each is an entry of one that is on the disk") {
    const ScratchFolder scratch;
    for (const char* name : {"一/二/三", "一/二/三/", "一/四"}) {
        make_folders(scratch.path(name));
        CHECK(fs::is_directory(scratch.path(name)));
    }
    scratch.write("file", "");
    CHECK_THROWS_AS(make_folders(scratch.path("file/run")), Error);
    disk::inject(disk::Fault::io_error, 2);  // the first call brings 五 to the disk, the second 六
    CHECK_THROWS_WITH_AS(make_folders(scratch.path("五/六")), doctest::Contains("五/六"), Error);
    disk::inject(disk::Fault::io_error, PTRDIFF_MAX);
}

TEST_CASE("two processes that write one folder: the second is refused, the first stays whole") {
    const ScratchFolder scratch;
    AtomicFolder first(scratch.path("x"));
    write_file(first.file("a"), "1");
    CHECK_THROWS_WITH_AS(AtomicFolder{scratch.path("x")},
                         doctest::Contains("another process is writing it"), Error);
    first.commit();
    CHECK(scratch.read("x/a") == "1");
}
