#include "system/system_reason.h"

#include <doctest/doctest.h>

#include <cerrno>

using namespace zhuyi;

TEST_CASE("system reason: the system's own words, and Chinese for what a person meets") {
    CHECK(system_reason(ENOSPC).english == "No space left on device");
    CHECK(system_reason(ENOSPC).chinese == "磁盘已满");
    CHECK(system_reason(ENOTTY).chinese == system_reason(ENOTTY).english);
}
