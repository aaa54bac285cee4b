#include "text/statistics.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/utf8.h"
#include "support/close.h"

using namespace zhuyi;

namespace {

CodePoints collected(const std::vector<std::string>& documents) {
    CodePoints text;
    for (const std::string& document : documents) text.add(document);
    return text;
}

// The definition: try every stretch of every document in every other.
std::size_t longest_by_trying(const std::vector<std::u32string>& documents) {
    std::size_t longest = 0;
    for (std::size_t a = 0; a < documents.size(); ++a)
        for (std::size_t b = 0; b < documents.size(); ++b)
            for (std::size_t i = 0; a != b && i < documents[a].size(); ++i)
                while (i + longest < documents[a].size() &&
                       documents[b].find(documents[a].substr(i, longest + 1)) !=
                           std::u32string::npos)
                    ++longest;
    return longest;
}

}  // namespace

TEST_CASE("猫吃鱼猫 / 猫: counted with a pencil") {
    const TextStatistics s = text_statistics({"猫吃鱼猫", "猫"});
    const Repetitions r = repetitions({"猫吃鱼猫", "猫"});
    CHECK(s.documents == 2);
    CHECK(s.characters == 5);
    CHECK(s.bytes == 15);
    CHECK(s.distinct == 3);
    CHECK(s.seen_once == 2);
    CHECK(s.seen_rarely == 3);
    CHECK(s.longest == 4);
    CHECK(s.shortest == 1);
    CHECK(r.duplicates == 0);
    CHECK(r.openings == 1.0);
    CHECK(r.longest_shared == "猫");
    CHECK(r.searched == 5);
    CHECK(text_statistics({}).documents == 0);
}

TEST_CASE("one document, however often it stands there, is not searched for what others share") {
    for (const Repetitions& r :
         {repetitions({"小猫在河边吃鱼"}), repetitions({"猫", "猫", "猫"})}) {
        CHECK(r.searched == 0);
        CHECK(r.longest_shared == "");
        CHECK(r.repeated_runs == 0);
    }
    CHECK(repetitions({}).openings == 0);
}

TEST_CASE("exact duplicates are counted, and left out of the search for shared passages") {
    const Repetitions s =
        repetitions({"小猫在河边吃鱼", "小猫在河边吃鱼", "小狗在河边喝水", "小猫在河边吃鱼"});
    CHECK(s.duplicates == 2);
    CHECK(s.longest_shared == "在河边");
    CHECK(close(s.openings, 0.5, 1e-12));
}

TEST_CASE("the share of repeated runs counts every place they stand in") {
    // runs of 2: 甲乙 stands in four documents, five times; of 8 runs in all
    const CodePoints text = collected({"甲乙甲乙", "甲乙", "甲乙丙", "丁甲乙"});
    // 甲乙 乙甲 甲乙 | 甲乙 | 甲乙 乙丙 | 丁甲 甲乙
    CHECK(close(repeated_share(text, 2, 3), 5.0 / 8, 1e-12));
    CHECK(repeated_share(text, 2, 4) == 0);
    CHECK(repeated_share(text, 5, 0) == 0);  // no document is so long
    CHECK(repeated_share(text, 4, 0) == 1);
}

TEST_CASE("a run does not reach from one document into the next") {
    const CodePoints text = collected({"一二", "三四", "零一", "二三"});
    CHECK(longest_shared(text).size() == 1);
}

TEST_CASE("the longest shared passage is the one that trying everything finds") {
    for (std::uint64_t trial = 0; trial < 60; ++trial) {
        const Random random(11, Stream::sampling, trial);
        Index element = 0;
        std::vector<std::u32string> plain(std::size_t(2 + random.below(4, element++)));
        std::vector<std::string> documents;
        for (std::u32string& document : plain) {
            documents.emplace_back();
            const Index length = 1 + random.below(40, element++);
            for (Index i = 0; i < length; ++i) {
                document += char32_t(U'甲' + random.below(3, element++));
                documents.back() += utf8::encode(document.back());
            }
        }
        const std::u32string found = longest_shared(collected(documents));
        CHECK(found.size() == longest_by_trying(plain));
        int holders = 0;
        for (const std::u32string& document : plain)
            holders += document.find(found) != document.npos;
        CHECK(holders >= 2);
    }
}

TEST_CASE("copied: the share of runs that stand in another text, and the longest one") {
    CodePoints source, written;
    source.add("小猫坐在窗台上");
    source.add("看雨点打在玻璃上");
    written.add("小猫坐在玻璃上");  // runs of 3: 小猫坐 猫坐在 stand there, 坐在玻 does not …
    written.add("上看");            // … and neither does what begins in one document and ends
    written.add("雨点打在窗台上");  // in another
    const Copied found = copied(written, source, 3);
    // 小猫坐 猫坐在 在玻璃 玻璃上 | 雨点打 点打在 在窗台 窗台上 of 5 + 0 + 5
    CHECK(found.share == doctest::Approx(0.8));
    CHECK(found.longest.size() == 4);
    CHECK(copied(written, source, 20).share == 0);
    CHECK(copied(written, written, 3).share == 1);
    CHECK(copied(source, {}, 3).longest.empty());
    CHECK(copied({}, source, 3).share == 0);
}
