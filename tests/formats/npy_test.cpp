#include "formats/npy.h"

#include <doctest/doctest.h>

#include "base/check.h"
#include "support/scratch.h"

using namespace zhuyi;

TEST_CASE("npy: the bytes of a small array") {
    const ScratchFolder folder;
    const std::vector<Real> values{1, 2};
    write_npy(folder.path("a.npy"), {2, 1}, values);
    const std::string bytes = folder.read("a.npy");
    REQUIRE(bytes.size() == 128 + 8);  // the header fills a multiple of 64
    CHECK(bytes.substr(0, 10) == std::string("\x93NUMPY\x01\x00\x76\x00", 10));
    CHECK(bytes.substr(10, 64) ==
          "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1, ), }   ");
    CHECK(bytes[127] == '\n');
    CHECK(bytes.substr(128) == std::string("\x00\x00\x80\x3F\x00\x00\x00\x40", 8));
}

TEST_CASE("npy: shapes of every rank") {
    const ScratchFolder folder;
    const std::vector<Real> values(24);
    const std::vector<std::vector<Index>> shapes{{}, {24}, {2, 3, 4}, {1, 1, 1, 24}, {0}};
    for (const auto& shape : shapes) {
        Index size = 1;
        for (const Index extent : shape) size *= extent;
        write_npy(folder.path("a.npy"), shape, In(values).first(std::size_t(size)));
        const std::string bytes = folder.read("a.npy");
        CHECK((bytes.size() - std::size_t(size) * 4) % 64 == 0);
    }
}

TEST_CASE("npy: a shape that is not the data's leaves no file") {
    const ScratchFolder folder;
    const std::vector<Real> values(5);
    CHECK_THROWS_AS(write_npy(folder.path("a.npy"), {2, 3}, values), Error);
    CHECK_FALSE(std::filesystem::exists(folder.path("a.npy")));
}
