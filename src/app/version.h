// Which sources this program was built from.
#pragma once

namespace zhuyi {

// "81d5f59"; with "-dirty" after it when they were changed since; "unknown" without git. The
// Makefile writes it (build/version.cpp).
const char* commit_of_build();

}  // namespace zhuyi
