#include "explain/course.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/check.h"
#include "base/format.h"
#include "explain/course_counts.h"
#include "explain/course_pages.h"
#include "formats/sheet_format.h"
#include "support/close.h"
#include "support/has.h"
#include "support/worked_fixture.h"

using namespace zhuyi;

namespace {

// A run whose heads were measured.
struct CourseFixture {
    WorkedFixture fixture;
    CourseRun run{"runs/a b",
                  fixture.model(),
                  7,
                  "zhuyi",
                  {{"previous", {"the character before", "前一个字"}, {1, 0, 0.6}}},
                  {{{"he, she, it", "他/她/它"}, {1, 1, 0.8}}},
                  {}};
};

std::string paper(const Sheet& sheet) { return sheet_as_markdown(sheet, {}); }

const Erratum& erratum(const std::vector<Erratum>& all, const std::string& name) {
    return *std::ranges::find(all, name, &Erratum::name);
}

}  // namespace

TEST_CASE(
    "course: every chapter of the five documents has its parts, each with something to type") {
    std::set<std::string> keys;
    for (const Lesson& lesson : course_lessons()) {
        CAPTURE(lesson.key);
        CHECK(keys.insert(lesson.key).second);
        CHECK(lesson.commands[0]);
        for (const Words& words : {lesson.title, lesson.idea, lesson.look, lesson.picture}) {
            CHECK(*words.english);
            CHECK(*words.chinese);
        }
    }
    for (const char* key :
         {"4",    "5",    "6",    "7",  "8",       "9.2",        "9.3",     "9.4",   "9.5",  "9.6",
          "9.7",  "9.8",  "9.9",  "10", "11",      "12.2",       "12.3",    "12.4",  "12.5", "12.6",
          "12.7", "12.8", "12.9", "13", "notes.1", "tutorial.5", "essay.2", "more.1"})
        CHECK(keys.contains(key));
}

TEST_CASE("course: 25 wrong numbers and 27 misleading explanations, each at a part that is there") {
    std::set<std::string> keys, names;
    for (const Lesson& lesson : course_lessons()) keys.insert(lesson.key);
    const std::vector<Erratum> all = course_errata();
    for (const Erratum& e : all) {
        CAPTURE(e.name);
        CHECK(names.insert(e.name).second);
        CHECK(keys.contains(e.lesson));
    }
    for (int i = 1; i <= 25; ++i) CHECK(names.contains(format("E%d", i)));
    for (int i = 1; i <= 27; ++i) CHECK(names.contains(format("M%d", i)));
    CHECK(all.size() == 52);
}

TEST_CASE("course: the right numbers are computed") {
    const std::vector<Erratum> all = course_errata();
    const std::pair<const char*, const char*> right[] = {
        {"E1", "124,439,808"},
        {"E1", "1,557,611,200"},
        {"E3", "1,048,576"},
        {"E3", "131,072"},
        {"E7", "12,582,912"},
        {"E7", "25,165,824"},
        {"E7", "65.4 %"},
        {"E9", "354,823,168"},
        {"E9", "774,030,080"},
        {"E9", "6,738,415,616"},
        {"E9", "68,976,648,192"},
        {"E10", "0.66 = 0.7093 · 1.0817 · 0.8602"},
        {"E23", "1.885"},
        {"E13", "0.0055, 0.0000, 0.9943, 0.0002"},
        {"E14", "22.6"},
        {"E15", "617,558,016"},
        {"E15", "620,875,776"},
        {"E17", "150,994,944"},
        {"E17", "3,145,728"},
        {"E18", "9216"},
        {"E18", "14,495,514,624"},
        {"E18", "57,982,058,496"},
        {"E18", "115,964,116,992"},
        {"E18", "175,181,291,520"},
        {"E19", "0.50 0.30 0.20 / 0.12 0.74 0.14 / 0.23 0.31 0.46"},
        {"E21", "0.60 0.47 / 0.40 0.54 / 0.56 0.65"},
        {"E22", "0.536 0.623 0.661"},
        {"E24", "0.310 0.338 0.352"},
        {"E24", "0.3168 0.3370 0.3462"},
        {"E24", "33.4 %"},
        {"E24", "34.5 %"},
        {"E25", "0.4743 0.5875 / 0.4736 0.5875 / 0.4739 0.5877"},
    };
    for (const auto& [which, expected] : right) {
        const std::string name = which, number = expected;
        CAPTURE(name);
        CAPTURE(number);
        CHECK(has(erratum(all, name).right, number));
        CHECK(has(erratum(in_chinese(course_errata), name).right, number));
    }
    CHECK(close(std::exp(0.634), 1.8851, 1e-4));  // E23
}

TEST_CASE("course: a command names the run and the head that was measured") {
    const CourseFixture f;
    CHECK(course_command("attend {run} --text 猫 {head 他/她/它}", f.run) ==
          "zhuyi attend 'runs/a b' --text 猫 --layer 1 --head 1");
    CHECK(course_command("attend {run} {head previous}", f.run) ==
          "zhuyi attend 'runs/a b' --layer 1 --head 0");
    CHECK(course_command("attend {run} {head 一词两义}", f.run) == "zhuyi attend 'runs/a b'");
}

TEST_CASE("course: a chapter, a part, the errata, or a word about what there is") {
    const Speaking chinese(Language::chinese);
    CourseFixture f;
    const std::string part = paper(course_sheet("9.7", f.run));
    CHECK(has(part, "9.7  公式与图书馆"));
    CHECK(!has(part, "9.6"));
    CHECK(has(paper(course_sheet("9", f.run)), "9.9  自注意力与交叉注意力"));
    CHECK(!has(paper(course_sheet("12.6", f.run)), "12.7"));
    CHECK(has(paper(course_sheet("errata", f.run)), "E13"));
    CHECK(has(paper(course_contents(f.run)), "第 12 章"));
    CHECK_THROWS_AS(course_sheet("3", f.run), UsageError);
    CHECK_THROWS_AS(course_sheet("9.", f.run), UsageError);
}

TEST_CASE("course: the library, cross-attention and the RNN in small numbers") {
    const Speaking chinese(Language::chinese);
    CourseFixture f;
    const auto page = [&](void (*write)(Sheet&, const CourseRun&)) {
        Sheet sheet{};
        sheet.section("s", "");
        write(sheet, f.run);
        return paper(sheet);
    };
    const std::string library = page(library_page);
    for (const char* number : {"4.5000", "0.143", "0.840", "0.017"}) CHECK(has(library, number));
    const std::string cross = page(cross_attention_page);
    for (const char* number : {"0.6698", "0.3302", "0.2572", "0.7428"}) {
        CAPTURE(cross);
        CHECK(has(cross, number));
    }
    CHECK(has(page(rnn_page), "0.5^11 = 0.0005"));
    CHECK(has(page(heads_cost_page), "2,048"));
    CHECK(has(page(three_scores_page), "0.7418"));
}

TEST_CASE("course: the KV cache reads N rows instead of N(N + 1)/2, and T² is counted beside T") {
    CourseFixture f;
    const GptConfig& c = f.run.model.model.config();
    const auto rows = [&](void (*write)(Sheet&, const CourseRun&)) {
        Sheet sheet{};
        sheet.section("s", "");
        write(sheet, f.run);
        return std::get<Sheet::Table>(sheet.sections[0].items[1]).rows;
    };
    const auto cell = [](const Sheet::Row& row, std::size_t i) { return row.cells[i].text; };
    const Index N = c.context;
    const Sheet::Row whole = rows(cache_page).back();
    CHECK(cell(whole, 0) == std::to_string(N));
    CHECK(cell(whole, 1) == std::to_string(N * (N + 1) / 2));
    const auto all = rows(lengths_page);
    REQUIRE(all.size() == 4);
    CHECK(cell(all[0], 0) == std::to_string(c.layers * c.heads * N * N));
    CHECK(cell(all[3], 0) == grouped(64 * c.layers * c.heads * N * N));
}

TEST_CASE("course: without residual connections the gradient dies away, with them it arrives") {
    CourseFixture f;
    Sheet sheet{};
    sheet.section("s", "");
    residual_page(sheet, f.run);
    const auto& table = std::get<Sheet::Table>(sheet.sections[0].items[1]);
    const Sheet::Row& last = table.rows.back();
    CHECK(last.cells[0].number < 0.01);
    CHECK(last.cells[1].number > 0.5);
}

TEST_CASE("course: W_V · W_O of a head has rank d_k, all heads together the full rank") {
    CourseFixture f;
    Sheet sheet{};
    sheet.section("s", "");
    spectrum_page(sheet, f.run);
    for (const Sheet::Item& item : sheet.sections[0].items)
        if (const auto* table = std::get_if<Sheet::Table>(&item)) {
            const auto& one = table->rows[0].cells;  // numbers 1, 2, d_k/2 + 1, d_k, d_k + 1, C
            CHECK(one[0].number > 0);
            CHECK(one[4].number < 1e-5 * one[0].number);
            CHECK(table->rows[1].cells[4].number > 1e-3 * one[0].number);
        }
}
