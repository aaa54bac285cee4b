// data/stories.txt is learnt from, tested with and drawn in every picture: it may grow, but not
// fall below this. Counted by the code that `zhuyi data` prints with. Runs from the root of the
// repository.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/utf8.h"
#include "text/corpus.h"
#include "text/statistics.h"

using namespace zhuyi;

namespace {

Corpus stories() { return Corpus::read({.data = "data/stories.txt"}); }

bool is_chinese(char32_t code) { return code >= 0x4E00 && code <= 0x9FFF; }

Index chinese_characters(std::string_view text) {
    Index count = 0;
    for (std::string_view character : utf8::Characters(text))
        count += is_chinese(utf8::front(character).code);
    return count;
}

Index stories_with(const std::vector<std::string_view>& documents, std::string_view phrase) {
    return std::count_if(documents.begin(), documents.end(),
                         [&](std::string_view story) { return story.find(phrase) != story.npos; });
}

}  // namespace

TEST_CASE(
    "data/stories.txt: at least 500 stories of 80 to 300 characters, 80,000 Chinese characters in "
    "all") {
    const Corpus corpus = stories();
    Index all = 0;
    for (std::string_view story : corpus.documents()) {
        const Index length = utf8::length(story);
        CAPTURE(utf8::prefix(story, 20));
        CHECK(length >= 80);
        CHECK(length <= 300);
        all += chinese_characters(story);
    }
    CHECK(corpus.documents().size() >= 500);
    CHECK(all >= 80'000);
    CHECK(corpus.split() == Split::hash);
}

TEST_CASE("data/stories.txt: a small vocabulary, used often") {
    std::vector<Index> counts(0x10000);
    const Corpus corpus = stories();
    for (std::string_view story : corpus.documents())
        for (std::string_view character : utf8::Characters(story))
            if (const char32_t code = utf8::front(character).code; is_chinese(code)) ++counts[code];
    const Index distinct =
        std::count_if(counts.begin(), counts.end(), [](Index n) { return n > 0; });
    const Index often = std::count_if(counts.begin(), counts.end(), [](Index n) { return n >= 5; });
    CHECK(distinct >= 900);
    CHECK(distinct <= 1600);
    CHECK(10 * often >= 9 * distinct);
}

TEST_CASE("data/stories.txt: the stories differ") {
    const Corpus corpus = stories();
    const Repetitions s = repetitions(corpus.documents());
    CHECK(s.duplicates == 0);
    CAPTURE(s.longest_shared);
    CHECK(utf8::length(s.longest_shared) < 30);
    CHECK(s.repeated_runs <= 0.02);
    CHECK(s.openings >= 0.8);
}

TEST_CASE(
    "data/stories.txt: what heads and embeddings are to find stands in three stories or more") {
    const Corpus corpus = stories();
    for (const char* phrase : {"小沈阳江西演唱会邀请了", "他吃了一个苹果", "苹果很好吃",
                               "苹果股价上涨", "李华看见张明，他笑了", "我去银行取钱", "猫吃鱼"}) {
        CAPTURE(phrase);
        CHECK(stories_with(corpus.documents(), phrase) >= 3);
    }
}

TEST_CASE(
    "data/stories.txt: nothing but Chinese characters, full-width punctuation and ends of lines") {
    const std::u32string allowed = U"，。！？、；：“”‘’（）《》…—·\n";
    std::set<std::string> others;
    const Corpus corpus = stories();
    for (std::string_view story : corpus.documents())
        for (std::string_view character : utf8::Characters(story)) {
            const char32_t code = utf8::front(character).code;
            if (!is_chinese(code) && allowed.find(code) == allowed.npos) others.emplace(character);
        }
    std::string found;
    for (const std::string& character : others) found += character;
    CHECK(found == "");
}
