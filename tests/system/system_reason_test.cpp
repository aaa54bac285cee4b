#include "system/disk.h"

#include <doctest/doctest.h>

#include <cerrno>

#include "support/has.h"

using namespace zhuyi;

TEST_CASE("system reason: the system's own words, and Chinese for what a person meets") {
    CHECK(system_reason(ENOSPC) == "No space left on device");
    CHECK(in_chinese([] { return system_reason(ENOSPC); }) == "磁盘已满");
    CHECK(in_chinese([] { return system_reason(ENOTTY); }) == system_reason(ENOTTY));
}
