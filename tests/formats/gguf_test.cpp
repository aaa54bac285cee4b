#include "formats/gguf.h"

#include <doctest/doctest.h>

#include "base/check.h"
#include "support/scratch.h"

using namespace zhuyi;
using namespace std::string_literals;

namespace {

GgufTensor numbers(const std::string& name, std::vector<Index> extents, std::vector<float> values,
                   GgufType type = GgufType::F32) {
    return {name, std::move(extents), type, [values] { return values; }};
}

const GgufSettings kSettings = {{"general.architecture", "gpt2"s},
                                {"count", std::uint32_t(7)},
                                {"words", std::vector<std::string>{"猫", ""}},
                                {"flag", true}};

std::string message_of(const std::string& path) {
    try {
        const GgufFile file(path);
    } catch (const Error& error) {
        return error.what();
    }
    return "no complaint";
}

}  // namespace

TEST_CASE("gguf: the bytes of a small file") {
    const ScratchFolder folder;
    write_gguf(folder.path("a"), {{"k", std::uint32_t(7)}}, {numbers("w", {2}, {1, -2})});
    const auto zeros = [](std::size_t count) { return std::string(count, '\0'); };
    const std::string expected =
        "GGUF\3"s + zeros(3) + "\1" + zeros(7) + "\1" + zeros(7) +      // one tensor, one setting
        "\1" + zeros(7) + "k\4" + zeros(3) + "\7" + zeros(3) +          // u32
        "\1" + zeros(7) + "w\1" + zeros(3) + "\2" + zeros(7 + 4 + 8) +  // {2}, F32, offset 0
        zeros(96 - 74) + zeros(2) + "\x80\x3f" + zeros(3) + "\xc0" + zeros(24);
    CHECK(folder.read("a") == expected);
}

TEST_CASE("gguf: reads back what it wrote") {
    const ScratchFolder folder;
    write_gguf(folder.path("a"), kSettings,
               {numbers("matrix", {3, 2}, {1, 2, 3, 4, 5, 6}),
                numbers("halves", {3}, {0.5f, -1024, 1e-7f}, GgufType::F16)});
    const GgufFile file(folder.path("a"));
    CHECK(file.settings() == kSettings);
    CHECK(file.setting<std::uint32_t>("count") == 7);
    CHECK(file.entry("matrix").extents == std::vector<Index>{3, 2});
    CHECK(file.values(file.entry("matrix")) == std::vector<float>{1, 2, 3, 4, 5, 6});
    const std::vector<float> halves = file.values(file.entry("halves"));
    CHECK(halves[0] == 0.5f);
    CHECK(halves[1] == -1024);
    CHECK(halves[2] == 0x1p-24f * 2);  // the nearest step of 2^-24
    CHECK_THROWS_AS(file.setting<float>("count"), Error);
    CHECK_THROWS_AS(file.entry("none"), Error);
}

TEST_CASE("gguf: what cannot be written") {
    const ScratchFolder folder;
    const auto refused = [&](const GgufSettings& settings, const std::vector<GgufTensor>& tensors) {
        CHECK_THROWS_AS(write_gguf(folder.path("a"), settings, tensors), Error);
        CHECK(!std::filesystem::exists(folder.path("a")));
    };
    const GgufTensor w = numbers("w", {2}, {1, 2});
    refused({}, {w, w});
    refused({{"k", 1.0f}, {"k", 2.0f}}, {w});
    refused({}, {numbers(std::string(64, 'n'), {2}, {1, 2})});
    refused({}, {numbers("w", {3}, {1, 2})});
    refused({}, {numbers("w", {0}, {})});
    refused({}, {numbers("w", {1}, {1e6f}, GgufType::F16)});
}

TEST_CASE(
    "gguf: a file cut anywhere, or with any byte changed, gives an error or another value, never "
    "more") {
    const ScratchFolder folder;
    write_gguf(folder.path("a"), kSettings, {numbers("w", {2}, {1, 2})});
    const std::string bytes = folder.read("a");
    for (std::size_t length = 0; length < bytes.size(); ++length)
        CHECK(message_of(folder.write("b", bytes.substr(0, length))) != "no complaint");
    CHECK(message_of(folder.write("b", bytes + '\0')) != "no complaint");
    Index refused = 0;
    for (std::size_t at = 0; at < bytes.size(); ++at)
        for (const char change : {'\xFF', '\x80'}) {
            std::string changed = bytes;
            changed[at] = char(changed[at] ^ change);
            refused += message_of(folder.write("b", changed)) != "no complaint";
        }
    CHECK(refused > 100);
}
