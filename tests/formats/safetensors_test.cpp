#include "formats/safetensors.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include "base/check.h"
#include "support/scratch.h"

using namespace zhuyi;

namespace {

const std::vector<float> kMatrix{1, 2, 3, 4, 5, 6};
const std::vector<std::uint64_t> kState{7, ~std::uint64_t(0)};
const std::vector<std::uint8_t> kText{'{', '}', '\n'};

std::string write_example(const ScratchFolder& folder) {
    const std::string path = folder.path("a.safetensors");
    write_safetensors(path,
                      {tensor_bytes("text", {3}, std::span(kText)),
                       tensor_bytes("matrix", {2, 3}, std::span(kMatrix)),
                       tensor_bytes("state", {2}, std::span(kState)),
                       tensor_bytes("empty", {0, 4}, std::span<const float>())},
                      {{"format", "pt"}, {"小", "猫"}});
    return path;
}

// A file of this header, its length in front, and so many bytes of data.
std::string file_of(const std::string& header, std::size_t data_bytes) {
    std::string bytes(8, '\0');
    for (std::size_t i = 0; i < 8; ++i) bytes[i] = char(header.size() >> (8 * i));
    return bytes + header + std::string(data_bytes, 'd');
}

std::string error_of_bytes(const std::string& bytes) {
    const ScratchFolder folder;
    try {
        SafetensorsFile(folder.write("a", bytes));
    } catch (const Error& failure) {
        return failure.what();
    }
    return "";
}

// Of a file with this one entry.
std::string error_of_entry(const std::string& entry, std::size_t data_bytes = 8) {
    return error_of_bytes(file_of("{\"W\":" + entry + "}", data_bytes));
}

void says(const std::string& error, const char* words) {
    CAPTURE(error);
    CAPTURE(words);
    CHECK(error.find(words) != std::string::npos);
}

}  // namespace

TEST_CASE("safetensors: what is written reads back") {
    const ScratchFolder folder;
    const SafetensorsFile file(write_example(folder));
    CHECK(file.metadata() == Metadata{{"format", "pt"}, {"小", "猫"}});
    CHECK(file.entries().size() == 4);

    const SafetensorsEntry& entry = file.at("matrix");
    CHECK(entry.type == Dtype::F32);
    CHECK(entry.shape == std::vector<Index>{2, 3});
    CHECK(entry.size() == 6);
    CHECK(file.at("empty").size() == 0);

    std::vector<float> matrix(6);
    file.read("matrix", std::span(matrix));
    CHECK(matrix == kMatrix);
    std::vector<std::uint64_t> state(2);
    file.read("state", std::span(state));
    CHECK(state == kState);
    std::byte last;
    file.read_bytes(file.at("text"), 2, std::span(&last, 1));
    CHECK(char(last) == '\n');

    CHECK(file.find("none") == nullptr);
    CHECK_THROWS_AS(file.at("none"), Error);
    std::vector<float> five(5);
    CHECK_THROWS_WITH_AS(
        file.read("matrix", std::span(five)),
        (file.path() + ": tensor \"matrix\": expected 5 elements of F32, found [2, 3] of F32")
            .c_str(),
        Error);
    std::vector<double> doubles(6);
    CHECK_THROWS_AS(file.read("matrix", std::span(doubles)), Error);
    CHECK_THROWS_AS(file.read_bytes(file.at("text"), 3, std::span(&last, 1)), Error);
}

TEST_CASE("safetensors: the bytes of a file, one by one") {
    const ScratchFolder folder;
    const std::vector<float> one{1.0f};
    write_safetensors(folder.path("a"), {tensor_bytes("b", {1}, std::span(one)),
                                         tensor_bytes("a", {}, std::span(one))});
    const std::string header = R"({"a": {"dtype": "F32", "shape": [], "data_offsets": [0, 4]}, )"
                               R"("b": {"dtype": "F32", "shape": [1], "data_offsets": [4, 8]}})";
    std::string padded = header;
    while (padded.size() % 8 != 0) padded += ' ';
    std::string expected = file_of(padded, 0);
    for (int i = 0; i < 2; ++i) expected += std::string("\x00\x00\x80\x3F", 4);
    CHECK(folder.read("a") == expected);
}

TEST_CASE(
    "safetensors: the order given does not matter; data begins at a multiple of 8, wide types "
    "first") {
    const ScratchFolder folder;
    const SafetensorsFile file(write_example(folder));
    CHECK(file.at("state").begin == 0);
    CHECK(file.at("empty").begin == 16);
    CHECK(file.at("matrix").begin == 16);
    CHECK(file.at("text").begin == 40);
    std::vector<TensorBytes> tensors{tensor_bytes("x", {6}, std::span(kMatrix)),
                                     tensor_bytes("y", {6}, std::span(kMatrix))};
    write_safetensors(folder.path("1"), tensors);
    std::swap(tensors[0], tensors[1]);
    write_safetensors(folder.path("2"), tensors);
    CHECK(folder.read("1") == folder.read("2"));
}

TEST_CASE("safetensors: numbers of any floating type are read as Real") {
    const ScratchFolder folder;
    const std::vector<double> wide{1.5, -2, 0.25};
    const std::array<std::uint16_t, 6> half{0x3C00, 0xC000, 0x0001, 0x8000, 0x7C00, 0x3555};
    const std::array<std::uint16_t, 2> brain{0x3F80, 0xC040};
    write_safetensors(folder.path("a"),
                      {tensor_bytes("wide", {3}, std::span(wide)),
                       tensor_bytes("state", {2}, std::span(kState)),
                       {"half", Dtype::F16, {6}, std::as_bytes(std::span(half))},
                       {"brain", Dtype::BF16, {2}, std::as_bytes(std::span(brain))}});
    const SafetensorsFile file(folder.path("a"));
    std::vector<Real> numbers(3);
    file.read_numbers("wide", numbers);
    CHECK(numbers == std::vector<Real>{Real(1.5), -2, Real(0.25)});
    numbers.resize(2);
    file.read_numbers("brain", numbers);
    CHECK(numbers == std::vector<Real>{1, -3});
    CHECK_THROWS_AS(file.read_numbers("state", numbers), Error);
    CHECK_THROWS_AS(file.read_numbers("half", numbers), Error);
    numbers.resize(6);
    file.read_numbers("half", numbers);
    CHECK(numbers[0] == 1);
    CHECK(numbers[1] == -2);
    CHECK(numbers[2] == Real(0x1p-24));  // the smallest denormal
    CHECK((numbers[3] == 0 && std::signbit(numbers[3])));
    CHECK(std::isinf(numbers[4]));
    CHECK(numbers[5] == Real(0.333251953125));
}

TEST_CASE("safetensors: a long tensor is converted in pieces") {
    const ScratchFolder folder;
    std::vector<double> wide(20001);
    for (std::size_t i = 0; i < wide.size(); ++i) wide[i] = double(i);
    write_safetensors(folder.path("a"),
                      {tensor_bytes("wide", {20001}, std::span<const double>(wide))});
    std::vector<Real> numbers(wide.size());
    SafetensorsFile(folder.path("a")).read_numbers("wide", numbers);
    CHECK(std::equal(wide.begin(), wide.end(), numbers.begin()));
}

TEST_CASE("safetensors: a mistake of the writer leaves no file") {
    const ScratchFolder folder;
    const TensorBytes tensor = tensor_bytes("a", {6}, std::span(kMatrix));
    TensorBytes wrong = tensor, negative = tensor, reserved = tensor;
    wrong.shape = {7};
    negative.shape = {-2, -3};
    reserved.name = "__metadata__";
    CHECK_THROWS_AS(write_safetensors(folder.path("a"), {tensor, tensor}), Error);
    CHECK_THROWS_AS(write_safetensors(folder.path("a"), {wrong}), Error);
    CHECK_THROWS_AS(write_safetensors(folder.path("a"), {negative}), Error);
    CHECK_THROWS_AS(write_safetensors(folder.path("a"), {reserved}), Error);
    CHECK_FALSE(std::filesystem::exists(folder.path("a")));
}

TEST_CASE("safetensors: truncated at every byte, or longer by one, a file is refused") {
    const ScratchFolder folder;
    write_example(folder);
    const std::string bytes = folder.read("a.safetensors");
    CHECK(error_of_bytes(bytes) == "");
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        CAPTURE(length);
        CHECK(error_of_bytes(bytes.substr(0, length)) != "");
    }
    CHECK(error_of_bytes(bytes + "x") != "");
}

TEST_CASE("safetensors: with any byte of the header changed, it is refused or whole") {
    const ScratchFolder folder;
    write_example(folder);
    const std::string bytes = folder.read("a.safetensors");
    const std::size_t header_end = bytes.find('}', bytes.rfind("data_offsets")) + 1;
    int refused = 0;
    for (std::size_t at = 0; at < header_end; ++at)
        for (const char c : {'\0', '0', '9', '"', '{', ']', '\xFF'}) {
            std::string changed = bytes;
            changed[at] = c;
            const std::string path = folder.write("changed", changed);
            try {
                const SafetensorsFile file(path);
                for (const SafetensorsEntry& entry : file.entries()) {
                    std::vector<std::byte> data(std::size_t(entry.end - entry.begin));
                    file.read_bytes(entry, 0, data);
                }
            } catch (const Error&) {
                ++refused;
            }
        }
    CHECK(refused > int(header_end));
}

TEST_CASE("safetensors: lengths and offsets that lie") {
    says(error_of_bytes(""), "expected at least 8 bytes, found 0");
    says(error_of_bytes(std::string(8, '\0')), "found a length of 0");
    says(error_of_bytes(std::string(8, '\xFF') + "{}"), "found a length of 18446744073709551615");
    says(error_of_bytes(std::string("\0\0\0\0\0\0\0\x7F{}", 10)),
         "expected a header of 2 to 2 bytes");
    says(error_of_bytes(file_of(std::string(17 << 20, ' '), 0)),
         "expected a header of 2 to 16777216");
    says(error_of_bytes(file_of("[]", 0)), "begins with {");
    says(error_of_bytes(file_of(" {}", 0)), "begins with {");
    says(error_of_bytes(file_of("{}", 1)), "expected 0 bytes of data, found 1");
    CHECK(error_of_bytes(file_of("{}      ", 0)) == "");

    const auto entry = [](const char* shape, const char* offsets) {
        return std::string("{\"dtype\":\"F32\",\"shape\":") + shape +
               ",\"data_offsets\":" + offsets + "}";
    };
    CHECK(error_of_entry(entry("[2]", "[0,8]")) == "");
    says(error_of_entry(entry("[2]", "[0,16]")), "outside the file");
    says(error_of_entry(entry("[2]", "[8,0]")), "outside the file");
    says(error_of_entry(entry("[2]", "[-8,0]")), "outside the file");
    says(error_of_entry(entry("[2]", "[0,18446744073709551624]")), "expected a whole number");
    says(error_of_entry(entry("[2]", "[0,1e300]")), "expected a whole number");
    says(error_of_entry(entry("[2]", "[0.5,8]")), "expected a whole number");
    says(error_of_entry(entry("[2]", "[0]")), "two data_offsets");
    says(error_of_entry(entry("[2]", "8")), "expected an array");
    says(error_of_entry(entry("[3]", "[0,8]")), "does not take its 8 bytes");
    says(error_of_entry(entry("[-2]", "[0,8]")), "does not take its 8 bytes");
    says(error_of_entry(entry("[9007199254740992,9007199254740992]", "[0,8]")), "does not take");
    says(error_of_entry(entry("[4294967296,4294967296,2]", "[0,8]")), "does not take");
    says(error_of_entry(entry("[1]", "[4,8]")), "expected to begin at byte 0");
    says(error_of_entry(entry("[1]", "[0,4]")), "expected 4 bytes of data, found 8");
    says(error_of_entry("{\"dtype\":\"F32\",\"shape\":[2]}"), "only");
    says(error_of_entry("{\"dtype\":\"F8_E4M3\",\"shape\":[8],\"data_offsets\":[0,8]}"),
         "unknown here");
    says(error_of_entry("[]"), "expected an object");
    says(error_of_entry("{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8],\"x\":1}"),
         "only");
}

TEST_CASE("safetensors: overlaps, gaps and doubled names") {
    const std::string a = R"("a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]})";
    const std::string overlap = R"("b":{"dtype":"U8","shape":[4],"data_offsets":[2,6]})";
    const std::string gap = R"("b":{"dtype":"U8","shape":[1],"data_offsets":[5,6]})";
    says(error_of_bytes(file_of("{" + a + "," + overlap + "}", 6)), "expected to begin at byte 4");
    says(error_of_bytes(file_of("{" + a + "," + gap + "}", 6)), "expected to begin at byte 4");
    says(error_of_bytes(file_of("{" + a + "," + a + "}", 4)), "two members \"a\"");
    says(error_of_bytes(file_of(R"({"__metadata__":{"a":1},)" + a + "}", 4)), "expected a text");
    says(error_of_bytes(file_of(R"({"__metadata__":{"a":"1","a":"2"},)" + a + "}", 4)),
         "two members \"a\"");
    says(error_of_bytes(file_of("{\"a\":" + std::string(100, '[') + "}", 0)), "at most 64 levels");
}
