#include "system/machine.h"

#include <doctest/doctest.h>

#include <vector>

#include "support/scratch.h"

using namespace zhuyi;

TEST_CASE("machine: has memory, and disk below a folder that does not exist yet") {
    const ScratchFolder folder;
    const auto memory = available_memory(), disk = free_disk(folder.path("not/yet"));
    REQUIRE(memory);
    CHECK(*memory > 1e6);
    REQUIRE(disk);
    CHECK(disk == free_disk(folder.path()));
}

TEST_CASE("machine: the most memory that was ever taken stays known when it is freed") {
    const double before = peak_bytes();
    CHECK(before >= resident_bytes());
    std::vector<char>(64 << 20, 'x');
    CHECK(peak_bytes() >= resident_bytes() + (32 << 20));
}
