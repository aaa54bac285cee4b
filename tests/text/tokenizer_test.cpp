#include "text/tokenizer.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/check.h"
#include "base/random.h"

using namespace zhuyi;
using namespace std::string_literals;

namespace {

CharacterTokenizer tokenizer_from(std::vector<std::string_view> texts, Index min_count = 1) {
    return CharacterTokenizer::from_texts(texts, min_count, Index(texts.size()));
}

}  // namespace

TEST_CASE("猫吃鱼，猫吃了: characters by falling count, ties by code point, from 257 on") {
    const CharacterTokenizer tokenizer = tokenizer_from({"猫吃鱼，猫吃了"});
    // 吃 U+5403 and 猫 U+732B twice; 了 U+4E86, 鱼 U+9C7C and ， U+FF0C once
    CHECK(tokenizer.size() == 257 + 5);
    CHECK(tokenizer.encode("吃猫了鱼，") == std::vector<Token>{257, 258, 259, 260, 261});
    CHECK(tokenizer.count(257) == 2);
    CHECK(tokenizer.count(261) == 1);
    CHECK(tokenizer.count(kEndOfText) == 1);
    CHECK(tokenizer.name(258) == "猫");
    CHECK(tokenizer.bytes(258) == "猫");
    CHECK(tokenizer.token_of(U'猫') == 258);
    CHECK(tokenizer.token_of(U'狗') == -1);
    CHECK(tokenizer.token_of(0x10FFFF) == -1);
}

TEST_CASE("a character without a token is spelt in bytes: 小 = E5 B0 8F") {
    const CharacterTokenizer tokenizer = tokenizer_from({"猫吃鱼"});
    CHECK(tokenizer.encode("小") == std::vector<Token>{1 + 0xE5, 1 + 0xB0, 1 + 0x8F});
    CHECK(tokenizer.name(1 + 0xE5) == "⟨E5⟩");
    const std::vector<Token> tokens = tokenizer.encode("小猫");
    CHECK(tokens.size() == 4);
    CHECK(tokenizer.characters(tokens) == 2);
}

TEST_CASE("min_count sends rare characters to bytes, and the bytes are counted") {
    const CharacterTokenizer tokenizer = tokenizer_from({"猫猫小", "猫小"}, 3);
    CHECK(tokenizer.size() == 258);
    CHECK(tokenizer.token_of(U'小') == -1);
    CHECK(tokenizer.count(1 + 0xE5) == 2);
    CHECK(tokenizer.count(kEndOfText) == 2);
}

TEST_CASE("U+2581 never gets a token: llama.cpp writes the space so") {
    const CharacterTokenizer tokenizer = tokenizer_from({"▁▁▁▁ 猫"});
    CHECK(tokenizer.size() == 257 + 2);
    CHECK(tokenizer.encode("▁") == std::vector<Token>{1 + 0xE2, 1 + 0x96, 1 + 0x81});
    CHECK_THROWS_AS(CharacterTokenizer({{0x2581, 1}}, std::vector<Index>(257)), Error);
}

TEST_CASE("the same character twice is no vocabulary") {
    CHECK_THROWS_WITH_AS(CharacterTokenizer({{U'猫', 2}, {U'猫', 1}}, std::vector<Index>(257)),
                         doctest::Contains("257"), Error);
}

TEST_CASE(
    "<|endoftext|> inside a text is thirteen characters, and token 0 adds nothing to a text") {
    const CharacterTokenizer tokenizer = tokenizer_from({"猫"});
    const std::vector<Token> tokens = tokenizer.encode("<|endoftext|>");
    CHECK(tokens.size() == 13);
    CHECK(tokenizer.decode(tokens) == "<|endoftext|>");
    CHECK(tokenizer.decode(std::vector<Token>{kEndOfText, 257, kEndOfText}) == "猫");
    CHECK(tokenizer.name(kEndOfText) == "<|endoftext|>");
    CHECK(tokenizer.characters(std::vector<Token>{257, kEndOfText}) == 2);
}

TEST_CASE("what is lost on the way to tokens and back: nothing, seen or unseen") {
    const CharacterTokenizer tokenizer = tokenizer_from({"小沈阳江西演唱会邀请了，abc\n"});
    for (const std::string& text : {"小沈阳"s, "从没见过的字：龘"s, "ASCII too, with  two  spaces"s,
                                    "😀👨‍👩‍👧"s, "𠀀𪚥"s, "a\0b\0"s, "\r\n\t　"s,
                                    "▁"s, "<0x41>"s, "é vs e\u0301"s, ""s, "\uFEFF"s})
        CHECK(tokenizer.decode(tokenizer.encode(text)) == text);
}

TEST_CASE("random bytes, UTF-8 or not, survive as well") {
    const CharacterTokenizer tokenizer = tokenizer_from({"猫吃鱼 abc", "\xE7\x8C"});
    for (std::uint64_t trial = 0; trial < 500; ++trial) {
        const Random random(3, Stream::sampling, trial);
        std::string bytes;
        for (Index i = 0; i < 20; ++i) bytes += static_cast<char>(random.below(256, i));
        bytes += "猫";
        const std::vector<Token> tokens = tokenizer.encode(bytes);
        CHECK(tokenizer.decode(tokens) == bytes);
        for (Token token : tokens) CHECK((token > 0 && token < tokenizer.size()));
    }
}

TEST_CASE("every token of a vocabulary stands in a text of its own bytes") {
    const CharacterTokenizer tokenizer = tokenizer_from({"猫吃鱼，猫吃了 \n"});
    for (Token token = CharacterTokenizer::kFirstCharacter; token < tokenizer.size(); ++token)
        CHECK(tokenizer.encode(tokenizer.bytes(token)) == std::vector<Token>{token});
    for (Token token = 1; token <= 256; ++token) {
        CHECK(tokenizer.bytes(token).size() == 1);
        CHECK(static_cast<unsigned char>(tokenizer.bytes(token)[0]) == token - 1);
    }
}

TEST_CASE("names show what eyes would miss") {
    const CharacterTokenizer tokenizer = tokenizer_from({" \n\t\r\\　\u200B\u0301\x07"});
    const auto name = [&](char32_t code) { return tokenizer.name(tokenizer.token_of(code)); };
    CHECK(name(' ') == "\\s");
    CHECK(name('\n') == "\\n");
    CHECK(name('\t') == "\\t");
    CHECK(name('\r') == "\\r");
    CHECK(name('\\') == "\\\\");
    CHECK(name(0x3000) == "\\u{3000}");
    CHECK(name(0x200B) == "\\u{200B}");
    CHECK(name(0x0301) == "\\u{301}");
    CHECK(name(7) == "\\u{7}");
}
