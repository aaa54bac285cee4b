#include "text/vocabulary.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/check.h"
#include "base/format.h"
#include "support/scratch.h"

using namespace zhuyi;

namespace {

const std::string kHead = "# zhuyi vocabulary 1 characters\n";

std::string first_tokens() {
    std::string lines = "0\t<|endoftext|>\t2\n";
    for (unsigned byte = 0; byte < 256; ++byte) lines += format("%u\t⟨%02X⟩\t0\n", byte + 1, byte);
    return lines;
}

std::string complaint(const std::string& content) {
    try {
        parse_vocabulary(content, "runs/诗/vocabulary.txt");
    } catch (const Error& error) {
        return error.what();
    }
    return "nothing was wrong";
}

// Lines before the characters: the head and 257 tokens.
constexpr int kLines = 258;

}  // namespace

TEST_CASE("vocabulary.txt is a line for each token, and reads back as the same tokenizer") {
    const std::string text = "猫吃鱼，猫 吃\n\t\r\\　\u200B\u0301😀𠀀#";
    const std::vector<std::string_view> texts = {text, std::string_view("\0", 1)};
    const CharacterTokenizer tokenizer = CharacterTokenizer::from_texts(texts, 1, 2);
    const std::string file = tokenizer.vocabulary_file();
    CHECK(file.find("\n0\t<|endoftext|>\t2\n1\t⟨00⟩\t0\n") != file.npos);
    CHECK(file.find("\n257\t吃\t2\n258\t猫\t2\n") != file.npos);
    CHECK(file.find("\t\\s\t1\n") != file.npos);
    CHECK(file.find("\t\\u{3000}\t1\n") != file.npos);

    const auto again = parse_vocabulary(file, "vocabulary.txt");
    CHECK(again->vocabulary_file() == file);
    CHECK(again->size() == tokenizer.size());
    CHECK(again->encode(text) == tokenizer.encode(text));
    CHECK(again->decode(again->encode(text)) == text);
}

TEST_CASE("a run folder and the file in it name the same vocabulary") {
    const ScratchFolder folder;
    const std::string file =
        folder.write("vocabulary.txt", kHead + first_tokens() + "257\t猫\t9\n");
    CHECK(read_tokenizer(folder.path())->size() == 258);
    CHECK(read_tokenizer(file)->count(257) == 9);
    CHECK_THROWS_WITH_AS(read_tokenizer(folder.path("没有")), doctest::Contains("没有"), Error);
}

TEST_CASE("escapes may be written for any character") {
    const auto tokenizer =
        parse_vocabulary(kHead + first_tokens() + "257\t\\u{732B}\t1\n258\t\\u{0}\t1\n", "v");
    CHECK(tokenizer->encode(std::string_view("猫\0", 4)) == std::vector<Token>{257, 258});
}

TEST_CASE("whatever is wrong with a vocabulary is said with file and line") {
    const std::string good = kHead + first_tokens();
    struct Example {
        std::string content;
        std::string place, words;
    };
    const std::string first = format("runs/诗/vocabulary.txt:%d: ", kLines + 1);
    const std::string second = format("runs/诗/vocabulary.txt:%d: ", kLines + 2);
    const std::vector<Example> examples = {
        {"", "", "expected <|endoftext|> and 256 byte tokens"},
        {kHead, "", "found 0 tokens"},
        {"{\"model\":{}}\n", ":1: ", "expected \"# zhuyi vocabulary 1 characters\""},
        {"# zhuyi vocabulary 2 characters\n" + first_tokens(),
         ":1: ", "no vocabulary that this version reads"},
        {std::string("\xFF\xFE\n"), ":1: ", "\\xff\\xfe"},
        {kHead + "0\t<|endoftext|>\t1\n1\t⟨01⟩\t0\n", ":3: ", "token 1 must be ⟨00⟩"},
        {kHead + "0\t</s>\t1\n", ":2: ", "token 0 must be <|endoftext|>"},
        {kHead + "1\t⟨00⟩\t1\n", ":2: ", "expected id 0, found 1"},
        {good + "258\t猫\t1\n", first, "expected id 257, found 258"},
        {good + "257\t猫\t1\n257\t吃\t1\n", second, "expected id 258, found 257"},
        {good + "257\t猫\t1\n258\t猫\t1\n", second, "already stands in line 259"},
        {good + "257\t猫\t1\n258\t\\u{732B}\t1\n", second, "already stands in line 259"},
        {good + "257\t猫咪\t1\n", first, "one character"},
        {good + "257\t\t1\n", first, "empty"},
        {good + "257\t\\q\t1\n", first, "the escape \"\\q\""},
        {good + "257\t\\u{D800}\t1\n", first, "escape"},
        {good + "257\t\\u{110000}\t1\n", first, "escape"},
        {good + "257\t\\u{FFFFFFFFFF}\t1\n", first, "escape"},
        {good + "257\t\\u{}\t1\n", first, "escape"},
        {good + "257\t\\u{4E\t1\n", first, "escape"},
        {good + "257\t\\\t1\n", first, "escape"},
        {good + "257\t▁\t1\n", first, "U+2581"},
        {good + "257\t\\u{2581}\t1\n", first, "U+2581"},
        {good + "257\t\xE7\x8C\t1\n", first, "0xE7"},
        {good + "257\t猫\n", first, "a tab between"},
        {good + "257 猫 1\n", first, "a tab between"},
        {good + "\n", first, "a tab between"},
        {good + "257\t猫\t-1\n", first, "\"-1\" is not a natural number"},
        {good + "257\t猫\t1.5\n", first, "not a natural number"},
        {good + "257\t猫\t\n", first, "not a natural number"},
        {good + "257\t猫\t99999999999999999999\n", first, "not a natural number"},
        {good + "257\t猫\t1\r\n", first, "\"1\\r\" is not a natural number"},
        {good + "x\t猫\t1\n", first, "the id \"x\""},
        {good + "257\t猫\t1\t2\n", first, "not a natural number"},
        {good + "257\t猫\t1", first, "cut short"},
        {good + "# a comment too late\n", first, "a tab between"},
        {std::string(good).substr(0, good.size() / 2), "runs/诗/vocabulary.txt:", "cut short"},
    };
    for (const Example& example : examples) {
        CAPTURE(example.words);
        const std::string found = complaint(example.content);
        CHECK_MESSAGE(found.find("runs/诗/vocabulary.txt") == 0, found);
        CHECK_MESSAGE(found.find(example.place) != found.npos, found);
        CHECK_MESSAGE(found.find(example.words) != found.npos, found);
    }
}

TEST_CASE("a file too large for a vocabulary is not read") {
    const ScratchFolder folder;
    const std::string path = folder.write("vocabulary.txt", "");
    std::filesystem::resize_file(path, std::uintmax_t(65) << 20);  // sparse: takes no space
    CHECK_THROWS_WITH_AS(read_tokenizer(path), doctest::Contains("too large"), Error);
}
