#include "kernels/kernels.h"

#include <doctest/doctest.h>

#include <string>

#include "base/check.h"
#include "support/reference.h"

namespace zhuyi {
namespace {

TEST_CASE("portable kernels exist everywhere, and a table goes by its name") {
    REQUIRE(kernels_named("portable") != nullptr);
    CHECK(std::string(kernels_named("portable")->name) == "portable");
    CHECK(kernels_named("") == nullptr);
    CHECK(kernels_named("avx1024") == nullptr);
    CHECK(std::string(choose_kernels("portable").name) == "portable");
    CHECK(kernels_named(choose_kernels("").name) == &choose_kernels(""));
}

TEST_CASE("an unknown instruction set is a usage error that names the known ones") {
    std::string message;
    try {
        choose_kernels("avx1024");
    } catch (const UsageError& error) {
        message = error.what();
    }
    CHECK(message.find("avx1024") != std::string::npos);
    CHECK(message.find("portable") != std::string::npos);
}

}  // namespace
}  // namespace zhuyi
