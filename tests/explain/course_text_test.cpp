#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "base/check.h"
#include "base/format.h"
#include "explain/course.h"
#include "support/has.h"

using namespace zhuyi;

namespace {

constexpr Language kLanguages[] = {Language::english, Language::chinese};

// The places of an item in the order of their words, as they stand: "example weights 猫".
std::multiset<std::string> places_of(const CourseItem& item) {
    std::multiset<std::string> all;
    for (const CoursePlace& place : course_places(item)) {
        std::string words;
        for (const std::string& word : place.words) words += word + " ";
        all.insert(words);
    }
    return all;
}

}  // namespace

TEST_CASE("course: every part: its idea, something to type, where to look; a question at its end") {
    for (const Language language : kLanguages) {
        const bool english = language == Language::english;
        for (const CoursePart& part : course_text(language)) {
            if (part.level != 2) continue;
            CAPTURE(part.key);
            CHECK(!part.title.empty());
            REQUIRE(part.items.size() >= 4);
            CHECK(part.items[0].kind == CourseItem::Kind::text);
            std::size_t i = 1;
            while (i < part.items.size() && part.items[i].kind == CourseItem::Kind::command) ++i;
            CHECK(i > 1);
            REQUIRE(i + 2 < part.items.size());
            CHECK(part.items[i].text.starts_with(english ? "Look at: " : "看什么："));
            const CourseItem& question = part.items[part.items.size() - 2];
            CHECK(question.text.starts_with(english ? "Question: " : "想一想："));
            CHECK(has(question.text, english ? "?" : "？"));
            CHECK(part.items.back().kind == CourseItem::Kind::answer);
            const auto seen = [](const CourseItem& item) {
                return item.text.starts_with("You will see") || item.text.starts_with("会看到");
            };
            CHECK(std::ranges::none_of(part.items, seen));
        }
    }
}

TEST_CASE("lesson: eight scenes of 45 minutes, each begins with a guess") {
    for (const Language language : kLanguages) {
        const bool english = language == Language::english;
        Index scenes = 0, minutes = 0;
        for (const CoursePart& part : course_text(language)) {
            if (part.level != 2 || !part.key.starts_with("lesson.")) continue;
            CAPTURE(part.key);
            const auto said = [&](const char* beginning) {
                return std::ranges::any_of(part.items, [&](const CourseItem& item) {
                    return item.text.starts_with(beginning);
                });
            };
            ++scenes;
            minutes += part.title[part.title.find(english ? " minutes" : " 分钟") - 1] - '0';
            CHECK(has(part.items.front().text, english ? "uess first" : "先猜"));
            CHECK((said(english ? "Why: " : "为什么：") || part.key == "lesson.8"));
        }
        CHECK(scenes == 8);
        CHECK(minutes == 45);
    }
}

TEST_CASE("course: both languages have the same parts, commands and places in the same order") {
    const std::vector<CoursePart> en = course_text(Language::english),
                                  zh = course_text(Language::chinese);
    for (std::size_t p = 0; p < std::max(en.size(), zh.size()); ++p) {
        REQUIRE(p < en.size());  // or a part stands in Chinese alone
        REQUIRE(p < zh.size());
        CAPTURE(en[p].key);
        CAPTURE(zh[p].key);
        REQUIRE(en[p].key == zh[p].key);
        CHECK(en[p].level == zh[p].level);
        CHECK(en[p].title.empty() == zh[p].title.empty());
        REQUIRE(en[p].items.size() == zh[p].items.size());
        for (std::size_t i = 0; i < en[p].items.size(); ++i) {
            const CourseItem &a = en[p].items[i], &b = zh[p].items[i];
            CAPTURE(a.where);
            CAPTURE(b.where);
            CHECK(a.kind == b.kind);
            CHECK(places_of(a) == places_of(b));
            if (a.kind == CourseItem::Kind::command || a.kind == CourseItem::Kind::sheet)
                CHECK(a.text == b.text);
        }
    }
}

TEST_CASE("course: 25 wrong numbers and 32 misleading explanations, each with what is right") {
    for (const Language language : kLanguages) {
        std::set<std::string> names;
        for (const CoursePart& part : course_text(language)) {
            if (part.level != 3) continue;
            CAPTURE(part.key);
            CHECK(names.insert(part.key).second);
            CHECK(!part.title.empty());  // where it is printed
            REQUIRE(part.items.size() == 2);
            CHECK(part.items[1].text.starts_with("→ "));
        }
        for (int i = 1; i <= 25; ++i) CHECK(names.contains(format("E%d", i)));
        for (int i = 1; i <= 32; ++i) CHECK(names.contains(format("M%d", i)));
        CHECK(names.size() == 57);
    }
}

TEST_CASE("course: what is not written as the file says is refused with its line") {
    const auto message = [](const char* markdown) -> std::string {
        try {
            parse_course(markdown, "c.md");
        } catch (const Error& e) {
            return std::string(e.what());
        }
        return "";
    };
    CHECK(message("<!-- a\n```\n# -->\n# 9 Title\n\n## 9.1 Part\nIdea\n```sh\nzhuyi x\n```\n") ==
          "");
    CHECK(has(message("# 9 A\n\n# 9 B\n"), "c.md:3"));
    CHECK(message("# 9 A\n## 9 B\n") == "");
    for (const char* heading : {"#", "# ", "#9 A", "#### 9 A"})
        CHECK(has(message(heading), "c.md:1"));
    CHECK(has(message("```sh\nls\n```\n"), "c.md:2"));
    CHECK(has(message("\n```\nx\n"), "c.md:2"));
    CHECK(has(message("```sh\nzhuyi x\n"), "not closed"));
    CHECK(has(message("<!-- never\n"), "not closed"));
}
