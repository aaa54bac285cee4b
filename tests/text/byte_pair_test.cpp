#include "text/byte_pair.h"

#include <doctest/doctest.h>

#include "base/check.h"
#include "base/random.h"
#include "text/vocabulary.h"

using namespace zhuyi;

namespace {

std::vector<std::string> pieces(std::string_view text) {
    std::vector<std::string> all;
    while (!text.empty()) {
        const std::size_t length = first_piece(text);
        REQUIRE(length > 0);
        all.emplace_back(text.substr(0, length));
        text.remove_prefix(length);
    }
    return all;
}

using Pieces = std::vector<std::string>;

// The bytes are tokens 0 … 255, then what the merges make, then the end of a text.
BytePairTokenizer tokenizer(const std::vector<std::string>& joined,
                            const std::vector<BytePairTokenizer::Merge>& merges) {
    std::vector<std::string> tokens;
    for (int byte = 0; byte < 256; ++byte) tokens.emplace_back(1, char(byte));
    tokens.insert(tokens.end(), joined.begin(), joined.end());
    tokens.emplace_back();
    return BytePairTokenizer(tokens, merges, Token(tokens.size() - 1));
}

// 256 "an", 257 " b", 258 "ana", 259 "猫" of three bytes by way of its first two
BytePairTokenizer example() {
    return tokenizer({"an", " b", "ana", "\xE7\x8C", "猫"},
                     {{'a', 'n'}, {' ', 'b'}, {256, 'a'}, {0xE7, 0x8C}, {259, 0xAB}});
}

// The rule as one would say it
std::vector<Token> joined_one_by_one(const BytePairTokenizer& t, std::string_view piece) {
    std::vector<Token> tokens;
    for (char byte : piece) tokens.push_back(t.token_of_byte(byte));
    for (const auto& [left, right] : t.merges())
        for (std::size_t i = 0; i + 1 < tokens.size(); ++i)
            if (tokens[i] == left && tokens[i + 1] == right) {
                tokens[i] = t.join(left, right)->result;
                tokens.erase(tokens.begin() + std::ptrdiff_t(i) + 1);
            }
    return tokens;
}

}  // namespace

TEST_CASE("byte pairs: a text is cut as GPT-2 cuts it") {
    CHECK(pieces("I'll say 'it's 12 times'!") ==
          Pieces{"I", "'ll", " say", " '", "it", "'s", " 12", " times", "'!"});
    CHECK(pieces("a  b   c") == Pieces{"a", " ", " b", "  ", " c"});
    CHECK(pieces("a\n\nb \n") == Pieces{"a", "\n", "\n", "b", " \n"});
    CHECK(pieces("小沈阳，江西演唱会２０") == Pieces{"小沈阳", "，", "江西演唱会", "２０"});
    CHECK(pieces(" \u3000x") == Pieces{" ", "\u3000", "x"});
    CHECK(pieces("\xE7\x8C\xE7\x8C\xAB") == Pieces{"\xE7\x8C", "\xE7\x8C\xAB"});
    CHECK(pieces("").empty());
}

TEST_CASE("byte pairs: classes of characters") {
    CHECK(class_of(U'A') == CharacterClass::letter);
    CHECK(class_of(U'猫') == CharacterClass::letter);
    CHECK(class_of(U'\U0002A6D6') == CharacterClass::letter);
    CHECK(class_of(U'½') == CharacterClass::number);
    CHECK(class_of(U'〇') == CharacterClass::number);
    CHECK(class_of(U'\u3000') == CharacterClass::space);
    CHECK(class_of(U'\u200B') == CharacterClass::other);
    CHECK(class_of(U'😀') == CharacterClass::other);
    CHECK(class_of(U'\0') == CharacterClass::other);
    CHECK(class_of(U'\U0010FFFF') == CharacterClass::other);
}

TEST_CASE("byte pairs: the earliest learnt pair is joined first, the leftmost of equals") {
    const BytePairTokenizer t = example();
    // b an an a: the second "an" goes on to "ana"
    CHECK(t.encode("banana") == std::vector<Token>{'b', 256, 258});
    CHECK(t.encode("a banana") == std::vector<Token>{'a', 257, 256, 258});
    CHECK(t.encode("猫") == std::vector<Token>{260});
    CHECK(t.encode("\xE7\x8C") == std::vector<Token>{259});
    CHECK(t.encode("aaaa") == std::vector<Token>{'a', 'a', 'a', 'a'});
    CHECK(t.encode("").empty());
    const BytePairTokenizer doubles = tokenizer({"aa"}, {{'a', 'a'}});
    CHECK(doubles.encode("aaaaa") == std::vector<Token>{256, 256, 'a'});
}

TEST_CASE("byte pairs: short and long pieces are joined by the same rule") {
    const BytePairTokenizer t =
        tokenizer({"ab", "ba", "abab", "aa", "baaa", "ababb"},
                  {{'a', 'b'}, {'b', 'a'}, {256, 256}, {'a', 'a'}, {257, 259}, {258, 'b'}});
    for (std::uint64_t length = 1; length < 300; ++length) {
        std::string piece;
        while (piece.size() < length)
            piece += "ab"[Random(1, Stream::sampling, length).below(2, Index(piece.size()))];
        CHECK(t.encode(piece) == joined_one_by_one(t, piece));
    }
}

TEST_CASE("byte pairs: every text comes back, whatever its bytes") {
    const BytePairTokenizer t = example();
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        std::string text;
        for (Index i = 0; i < 40; ++i)
            text += "an b猫 \n'\xE7\xFF"[Random(seed, Stream::sampling, 0).below(13, i)];
        CHECK(t.decode(t.encode(text)) == text);
    }
}

TEST_CASE("byte pairs: names, characters, the end of a text") {
    const BytePairTokenizer t = example();
    CHECK(t.end_of_text() == 261);
    CHECK(t.name(261) == "<|endoftext|>");
    CHECK(t.name(257) == "\\sb");
    CHECK(t.name(0xE7) == "⟨E7⟩");
    CHECK(t.characters(std::vector<Token>{256, 0xE7, 0x8C, 0xAB, 261}) == 4);
}

TEST_CASE("byte pairs: vocabulary.txt reads back the same, and names the line that is wrong") {
    const BytePairTokenizer t = tokenizer({"⟨", "<|", " \n"}, {{'<', '|'}, {' ', '\n'}});
    const std::string file = t.vocabulary_file();
    const auto back = parse_vocabulary(file, "here");
    CHECK(back->vocabulary_file() == file);
    CHECK(back->encode("<|猫 \n") == t.encode("<|猫 \n"));
    const auto complaint = [&](std::string from, std::string to) {
        std::string changed = file;
        changed.replace(changed.find(from), from.size(), to);
        try {
            parse_vocabulary(changed, "here");
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string("no complaint");
    };
    const auto has = [](const std::string& text, const char* part) {
        return text.find(part) != text.npos;
    };
    CHECK(has(complaint("5\t\\u{5}", "6\t\\u{5}"), "here:9: expected id 5"));
    CHECK(has(complaint("65\tA", "65\tB"), "two tokens of the vocabulary are \"B\""));
    CHECK(has(complaint("65\tA", "65\t⟨unused⟩"), "the byte 41 has no token"));
    CHECK(has(complaint("merge\t60\t124", "merge\t60\t1"), "makes no token"));
    CHECK(has(complaint("merge\t60\t124", "merge\t60\t900"), "do not exist"));
    CHECK(has(complaint("merge\t32\t10", "merge\t60\t124"), "twice"));
    CHECK(has(complaint("end of text 259", "end of text 258"), "no token of its own"));
    CHECK(has(complaint("65\tA", "65\t\\q"), "the escape \"\\q\""));
    CHECK(has(complaint("65\tA", "65\t⟨41"), "a byte like ⟨E5⟩"));
    CHECK(has(complaint("65\tA", "65\t"), "here:69: the token is empty"));  // found by make fuzz
}
