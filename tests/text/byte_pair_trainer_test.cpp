#include "text/byte_pair.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "base/check.h"
#include "base/random.h"
#include "support/has.h"
#include "text/merges_sheet.h"
#include "text/vocabulary.h"

using namespace zhuyi;

namespace {

BytePairTokenizer learnt(const std::vector<std::string>& texts, Index vocabulary) {
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    return train_byte_pairs(views, vocabulary, std::ssize(texts));
}

// The tokens from 257 on.
std::vector<std::string> joined(const BytePairTokenizer& tokenizer) {
    std::vector<std::string> names;
    for (Token token = 257; token < tokenizer.size(); ++token)
        names.push_back(tokenizer.name(token));
    return names;
}

std::vector<std::string> names(const BytePairTokenizer& tokenizer, std::string_view text) {
    std::vector<std::string> all;
    for (const Token token : tokenizer.encode(text)) all.push_back(tokenizer.name(token));
    return all;
}

using Names = std::vector<std::string>;

// The definition, as one would do it by hand: count all pairs anew, join the best one everywhere.
std::vector<std::pair<Token, Token>> joins_by_hand(const std::vector<std::string>& texts,
                                                   Index count) {
    std::vector<std::vector<Token>> pieces;
    for (std::string_view text : texts)
        while (!text.empty()) {
            const std::size_t length = first_piece(text);
            pieces.emplace_back();
            for (const char byte : text.substr(0, length))
                pieces.back().push_back(1 + static_cast<unsigned char>(byte));
            text.remove_prefix(length);
        }
    std::vector<std::pair<Token, Token>> joins;
    while (std::ssize(joins) < count) {
        std::map<std::pair<Token, Token>, Index> counts;  // by the ids: ties go to the first
        for (const auto& piece : pieces)
            for (std::size_t i = 1; i < piece.size(); ++i) ++counts[{piece[i - 1], piece[i]}];
        const auto best = std::max_element(counts.begin(), counts.end(),
                                           [](auto& a, auto& b) { return a.second < b.second; });
        if (best == counts.end() || best->second < 2) break;
        const auto pair = best->first;
        for (auto& piece : pieces)
            for (std::size_t i = 0; i + 1 < piece.size(); ++i)
                if (piece[i] == pair.first && piece[i + 1] == pair.second) {
                    piece[i] = 257 + Token(joins.size());
                    piece.erase(piece.begin() + std::ptrdiff_t(i) + 1);
                }
        joins.push_back(pair);
    }
    return joins;
}

// Few different letters, so that runs (aaaa), ties and long tokens come often.
std::string invented(std::uint64_t seed, Index length) {
    const Random random(seed, Stream::sampling, 0);
    std::string text;
    for (Index i = 0; i < length; ++i) text += "aaab  小"[random.below(9, i)];
    return text;
}

}  // namespace

// The example of Sennrich et al. (2016), section 3.2, in pencil: low ×5, lower ×2, newest ×6,
// widest ×3. Here a word begins with its space.
//
//     e+s 9 times (newest, widest), s+t 9: the smaller left id comes first   → es
//     es+t 9                                                                 → est
//     ␣+l 7 (low, lower), l+o 7, o+w 7                                       → ␣l
//     o+w 7, ␣l+o 7: a byte has a smaller id than what was joined            → ow
//     ␣l+ow 7                                                                → ␣low
TEST_CASE("byte pairs by hand: low, lower, newest, widest") {
    std::string text;
    const auto add = [&](const char* word, int times) {
        for (int i = 0; i < times; ++i) text += word;
    };
    add(" low", 5), add(" lower", 2), add(" newest", 6), add(" widest", 3);
    const BytePairTokenizer tokenizer = learnt({text}, 257 + 5);
    CHECK(joined(tokenizer) == Names{"es", "est", "\\sl", "ow", "\\slow"});
    CHECK(tokenizer.count(258) == 9);  // est
    CHECK(tokenizer.count(257) == 0);  // each es has become a part of est
    CHECK(tokenizer.count(261) == 7);
    CHECK(tokenizer.count(kEndOfText) == 1);
    // A word that was never seen is spelt with the pieces of those that were.
    CHECK(names(tokenizer, " lowest") == Names{"\\slow", "est"});
    CHECK(names(tokenizer, "lowest") == Names{"l", "ow", "est"});
}

// 小 is E5 B0 8F and 猫 is E7 8C AB. E5 B0, B0 8F, 8F E7, E7 8C and 8C AB all stand there twice; the
// smallest left byte is 8C.
TEST_CASE("byte pairs by hand: a character is joined from its bytes, ties by the smaller id") {
    const BytePairTokenizer tokenizer = learnt({"小猫，小猫"}, 257 + 5);
    CHECK(joined(tokenizer) == Names{"⟨8C⟩⟨AB⟩", "⟨8F⟩⟨E7⟩", "⟨B0⟩⟨8F⟩⟨E7⟩", "小⟨E7⟩", "小猫"});
    CHECK(names(tokenizer, "小猫看小鸟")[0] == "小猫");
    CHECK(tokenizer.bytes(1 + 0xE5) == "\xE5");
}

TEST_CASE(
    "byte pairs: the left one of overlapping pairs is joined, and no pair reaches out of its "
    "piece") {
    CHECK(joined(learnt({"aaaaa"}, 258)) == Names{"aa"});
    CHECK(names(learnt({"aaaaa"}, 258), "aaaaa") == Names{"aa", "aa", "a"});
    // "ab" stands there twice, "b a" never counts: the space begins another piece.
    CHECK(joined(learnt({"ab ab"}, 258)) == Names{"ab"});
}

TEST_CASE("byte pairs: learnt as by the definition") {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        CAPTURE(seed);
        const std::vector<std::string> texts = {invented(seed, 90), invented(seed + 100, 40)};
        const auto wanted = joins_by_hand(texts, 12);
        const BytePairTokenizer tokenizer = learnt(texts, 257 + std::ssize(wanted));
        std::vector<std::pair<Token, Token>> found;
        for (const auto& [left, right] : tokenizer.merges()) found.emplace_back(left, right);
        CHECK(found == wanted);
    }
}

// The tokens that encode() makes are those that learning ended with: it has counted the same.
TEST_CASE("byte pairs: every text comes back, in tokens of the vocabulary, as they were counted") {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        CAPTURE(seed);
        const std::string text = invented(seed, 200);
        const BytePairTokenizer tokenizer = learnt({text}, 257 + 10);
        std::vector<Index> counts(std::size_t(tokenizer.size()));
        for (const Token token : tokenizer.encode(text)) {
            REQUIRE((token > 0 && token < tokenizer.size()));
            ++counts[std::size_t(token)];
        }
        for (Token token = 1; token < tokenizer.size(); ++token)
            CHECK(counts[std::size_t(token)] == tokenizer.count(token));
        for (std::string_view rest = text; !rest.empty();) {  // the definition, joined by joined
            const std::string_view piece = rest.substr(0, first_piece(rest));
            const auto steps = merge_steps(tokenizer, piece);
            if (!steps.empty()) CHECK(steps.back().tokens == tokenizer.encode(piece));
            rest.remove_prefix(piece.size());
        }
        const std::string other = invented(seed + 1000, 50) + "\xFF\x80 猫\n";
        CHECK(tokenizer.decode(tokenizer.encode(other)) == other);
    }
}

TEST_CASE("byte pairs: the order of the texts plays no part; vocabulary.txt reads back the same") {
    std::vector<std::string> texts;
    for (std::uint64_t seed = 0; seed < 20; ++seed) texts.push_back(invented(seed, 30));
    const std::string file = learnt(texts, 280).vocabulary_file();
    std::reverse(texts.begin(), texts.end());
    CHECK(learnt(texts, 280).vocabulary_file() == file);
    CHECK(parse_vocabulary(file, "here")->vocabulary_file() == file);
}

TEST_CASE("byte pairs: as many tokens as there can be, and what is said of more") {
    CHECK(learnt({"小猫"}, 257).size() == 257);  // bytes alone
    CHECK(learnt({}, 257).size() == 257);
    CHECK(learnt({"abcabc"}, 258).size() == 258);  // one piece: ab, then abc stand there twice
    try {
        learnt({"abcabc"}, 2000);
        FAIL("not refused");
    } catch (const UsageError& error) {
        CHECK(has(error.what(), "bpe_vocabulary = 2000 is too large for this text"));
        CHECK(has(error.what(), "Give at most 259."));
    }
}
