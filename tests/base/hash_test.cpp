#include "base/hash.h"

#include <doctest/doctest.h>

#include <vector>

using namespace zhuyi;

TEST_CASE("hash: published values of XXH64") {
    CHECK(hash_of("") == 0xEF46DB3751D8E999u);
    CHECK(hash_of("a") == 0xD24EC4F1A98C6E5Bu);
    CHECK(hash_of("abc") == 0x44BC2CF5AD770999u);
    CHECK(hash_text(hash_of("abc")) == "44bc2cf5ad770999");
    CHECK(hash_text(1) == "0000000000000001");
}

TEST_CASE("hash: the cut into pieces does not matter") {
    std::string bytes;
    for (int i = 0; i < 150; ++i) bytes += char(i * 7 + 3);
    for (std::size_t length = 0; length <= bytes.size(); ++length) {
        const std::string_view text = std::string_view(bytes).substr(0, length);
        for (const std::size_t piece : {1u, 3u, 8u, 31u, 32u, 33u, 64u}) {
            Hash hash;
            for (std::size_t at = 0; at < length; at += piece) hash.add(text.substr(at, piece));
            REQUIRE(hash.value() == hash_of(text));
        }
    }
}

TEST_CASE("hash: every byte and the length matter") {
    const std::string bytes(100, 'x');
    const std::uint64_t whole = hash_of(bytes);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        std::string changed = bytes;
        changed[i] ^= 1;
        CHECK(hash_of(changed) != whole);
        CHECK(hash_of(bytes.substr(i + 1)) != whole);
    }
}

TEST_CASE("hash: numbers are hashed as they lie in memory") {
    const std::vector<float> numbers{1.0f, 2.0f};
    Hash hash;
    hash.add(std::span(numbers));
    CHECK(hash.value() == hash_of(std::string_view("\0\0\x80\x3F\0\0\0\x40", 8)));
}

TEST_CASE("hash: its text reads back, and nothing else does") {
    CHECK(parse_hash(hash_text(0x0123456789abcdef)) == 0x0123456789abcdef);
    for (const char* text : {"", "12", "0123456789abcdeg", "0123456789abcdef0", "-123456789abcdef"})
        CHECK_FALSE(parse_hash(text));
}
