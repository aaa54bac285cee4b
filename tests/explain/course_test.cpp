#include "explain/course.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/check.h"
#include "base/format.h"
#include "formats/sheet_format.h"
#include "model/gpt.h"
#include "support/close.h"
#include "support/has.h"
#include "support/worked_fixture.h"

using namespace zhuyi;

namespace {

constexpr Language kBoth[] = {Language::english, Language::chinese};

// A run whose heads were measured.
struct CourseFixture {
    WorkedFixture fixture;
    CourseRun run{"runs/a b",
                  fixture.model(),
                  7,
                  "zhuyi",
                  {{"previous", "前一个字", 1, 0, 0.6}, {"itself", "这个字自己", 0, 1, 0.3}},
                  {{"他/她/它", "他/她/它", 1, 1, 0.8, "1.1", 40},
                   {"一词两义", "一词两义", 0, 0, 0.5, "0.ffn", 55},
                   {"东西的样子", "东西的样子", 0, 1, 0.5, "0.ffn", 75}}};

    std::string page(const std::string& chapter, Language language = Language::chinese) const {
        const Speaking speaking(language);
        return sheet_as_markdown(course_sheet(chapter, run), {});
    }
    std::optional<std::string> fill(const std::string& text,
                                    CourseItem::Kind kind = CourseItem::Kind::text) const {
        return filled({kind, text, "here:1"}, run);
    }
    Sheet write(const char* sheet) const {
        Sheet result{};
        result.section("s", std::string());
        course_sheet_named({{"sheet", sheet}, "here:1"})(result, run);
        return result;
    }
};

const Sheet::Table& table_of(const Sheet& sheet) {
    return std::get<Sheet::Table>(sheet.sections[0].items.back());
}

const CoursePart& part_called(const std::vector<CoursePart>& parts, const std::string& key) {
    return *std::ranges::find(parts, key, &CoursePart::key);
}

}  // namespace

TEST_CASE("course: every place is filled, and all that is computed has a place") {
    const CourseFixture f;
    std::set<std::string> named;
    for (const Language language : kBoth)
        for (const CoursePart& part : course_text(language))
            for (const CourseItem& item : part.items) {
                CAPTURE(item.where);
                const std::optional<std::string> text = filled(item, f.run);
                CHECK((text || has(item.text, "{if not") || has(item.text, "{near") ||
                       has(item.text, "{compare") ||
                       has(item.text, "{without")));  // longer than the fixture's context
                if (has(item.text, " options}")) CHECK(has(text.value_or(""), " --layer "));
                for (const CoursePlace& place : course_places(item)) named.insert(place.word(0));
                if (item.kind == CourseItem::Kind::sheet) {
                    CHECK_NOTHROW(course_sheet_named({{"sheet", item.text}, item.where}));
                    named.insert("sheet " + item.text);
                }
            }
    for (const auto& number : course_numbers()) {
        CAPTURE(number.first);
        CHECK(named.contains(std::string(number.first)));
    }
    for (const auto& sheets : {course_small_sheets(), course_sheets_of_run(), course_cost_sheets()})
        for (const auto& sheet : sheets) {
            CAPTURE(sheet.first);
            CHECK(named.contains("sheet " + std::string(sheet.first)));
        }
    for (const char* nothing :
         {"{nothing}", "{}", "{count many}", "{weights GPT-9}", "{best", "{if}", "{example Q猫}",
          "{compare 吃 吃 sine}", "{dot 鱼}", "{best 他/她/它 much}"}) {
        CAPTURE(nothing);
        CHECK_THROWS_AS(f.fill(nothing), Error);
    }
    CHECK_THROWS_AS(course_sheet_named({{"sheet", "nothing"}, "here:1"}), Error);
}

TEST_CASE("course: the right numbers are computed") {
    const CourseFixture f;
    const std::pair<const char*, const char*> right[] = {
        {"E1", "124,439,808"},
        {"E1", "1,557,611,200"},
        {"E3", "1,048,576"},
        {"E3", "131,072"},
        {"E7", "12,582,912"},
        {"E7", "25,165,824"},
        {"E7", "38,469,120"},
        {"E7", "65.4 %"},
        {"E9", "354,823,168"},
        {"E9", "774,030,080"},
        {"E9", "6,738,415,616"},
        {"E9", "68,976,648,192"},
        {"E10", "0.66 = 0.7093 · 1.0817 · 0.8602"},
        {"E23", "1.885"},
        {"E13", "0.0055, 0.0000, 0.9943, 0.0002"},
        {"E13", "0.0469, 0.0018, 0.9439, 0.0074"},
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
    for (const Language language : kBoth) {
        const std::vector<CoursePart> parts = course_text(language);
        for (const auto& [which, expected] : right) {
            const std::string name = which, number = expected;
            CAPTURE(name);
            CHECK(has(*filled(part_called(parts, name).items[1], f.run), number));
        }
    }
    CHECK(close(25165824 / 384691.2, 65.4, 0.05));  // E7
    CHECK(close(std::exp(0.634), 1.885, 5e-4));     // E23
    CHECK(close(std::pow(0.5, 11), 0.0005, 5e-5));  // 9.3
}

TEST_CASE("course: a command names the run and the head that was measured") {
    const CourseFixture f;
    const auto command = [&](const char* text) { return *f.fill(text, CourseItem::Kind::command); };
    CHECK(command("attend {run} --text 猫 {best 他/她/它 options}") ==
          "zhuyi attend 'runs/a b' --text 猫 --layer 1 --head 1");
    CHECK(command("attend {run} {best previous options} --color never") ==
          "zhuyi attend 'runs/a b' --layer 1 --head 0 --color never");
    CHECK(command("attend {run} {best 加和减 options}") == "zhuyi attend 'runs/a b'");
}

TEST_CASE("course: a paragraph is left out when the run has not recorded what it names") {
    CourseFixture f;
    CHECK(f.fill("Of all heads {best itself} does it.") == "Of all heads 0.1 does it.");
    CHECK(f.fill("{best 他/她/它}, {best 他/她/它 weight}") == "1.1, 0.80");
    CHECK(f.fill("{if roles}Measured:") == "Measured:");
    CHECK(!f.fill("{if not roles}Not recorded."));
    f.run.roles.clear(), f.run.rules.clear();
    CHECK(!f.fill("Of all heads {best itself} does it."));
    CHECK(f.fill("{if not best 他/她/它}Not measured.") == "Not measured.");
    CHECK(!has(f.page("12.3"), "语法、语义"));
    CHECK(has(f.page("12.3"), "没有记录"));
}

TEST_CASE("course: without a run everything is there but what a model's numbers fill") {
    const CourseFixture with;
    const CourseRun none{"runs/village"};
    const Speaking speaking(Language::chinese);
    const auto page = [&](const char* what) {
        return sheet_as_markdown(course_sheet(what, none), {});
    };
    const std::string errata = page("errata");
    CHECK(errata.substr(errata.find("E1 ")) ==
          with.page("errata").substr(with.page("errata").find("E1 ")));
    CHECK(has(page("9.7"), "0.840"));
    const std::string all = page("all");
    CHECK(has(all, "zhuyi attend runs/village --text"));
    for (const char* of_a_model : {"{", "--silence", "这次训练的结果", "毫秒"}) {
        CAPTURE(of_a_model);
        CHECK(!has(all, of_a_model));
    }
}

TEST_CASE("course: an answer is folded until --full") {
    const CourseFixture f;
    const Speaking speaking(Language::chinese);
    const Sheet sheet = course_sheet("9.8", f.run);
    const std::string answer = "总是对称的";
    CHECK(!has(sheet_as_terminal(sheet, {}), answer));
    CHECK(has(sheet_as_terminal(sheet, {}), "--full"));
    SheetStyle full;
    full.full = true;
    CHECK(has(sheet_as_terminal(sheet, full), answer));
    CHECK(has(sheet_as_html(sheet, {}), "<details><summary>答案</summary>"));
    CHECK(has(sheet_as_html(sheet, full), "<details open>"));
    CHECK(has(sheet_as_markdown(sheet, {}), "<details><summary>答案</summary>\n\n答："));
}

TEST_CASE("course: a chapter, a part, the errata, or a word about what there is") {
    const CourseFixture f;
    const std::string part = f.page("9.7");
    CHECK(has(part, "9.7  公式与图书馆"));
    CHECK(!has(part, "9.6"));
    CHECK(has(f.page("9"), "9.9  自注意力与交叉注意力"));
    CHECK(has(f.page("9"), "E13 · 第 9 章 9.6  书上印的："));
    CHECK(has(f.page("E21"), "E21 · 教程 6.2  书上印的："));
    CHECK(!has(f.page("E21"), "E22"));
    CHECK(!has(f.page("12.6"), "12.7"));
    const std::string errata = f.page("errata", Language::english);
    CHECK(errata.find("E9 ·") < errata.find("E10 ·"));
    CHECK(errata.find("E25 ·") < errata.find("M1 ·"));
    const Speaking speaking(Language::chinese);
    CHECK(has(sheet_as_markdown(course_contents(f.run), {}), "第 12 章"));
    for (const char* unknown : {"3", "9.", "E99", ""}) CHECK_THROWS_AS(f.page(unknown), UsageError);
}

TEST_CASE("course: the library, cross-attention, heads and the tutorial's S in small numbers") {
    const CourseFixture f;
    for (const auto& [part, numbers] :
         {std::pair("9.7", std::vector{"4.5000", "0.143", "0.840", "0.017"}),
          std::pair("9.9", std::vector{"0.6698", "0.3302", "0.2572", "0.7428"}),
          std::pair("9.3", std::vector{"0.5^11 = 0.0005"}), std::pair("12.3", std::vector{"2,048"}),
          std::pair("tutorial.2", std::vector{"0.7418"})})
        for (const char* number : numbers) {
            CAPTURE(number);
            CHECK(has(f.page(part), number));
        }
}

TEST_CASE("course: the KV cache reads N rows instead of N(N + 1)/2, and T² is counted beside T") {
    const CourseFixture f;
    const GptConfig& c = f.run.model->model.config();
    const auto cell = [](const Sheet::Row& row, std::size_t i) { return row.cells[i].text; };
    const Index N = c.context;
    const Sheet cached = f.write("kv_cache"), timed = f.write("lengths");
    const Sheet::Row& whole = table_of(cached).rows.back();
    CHECK(cell(whole, 0) == std::to_string(N));
    CHECK(cell(whole, 1) == std::to_string(N * (N + 1) / 2));
    const auto& rows = table_of(timed).rows;
    REQUIRE(rows.size() == 4);
    CHECK(cell(rows[0], 0) == std::to_string(c.heads * N * N));
    CHECK(cell(rows[3], 0) == grouped(64 * c.heads * N * N));
}

TEST_CASE("course: without residual connections the gradient dies away, with them it arrives") {
    const Sheet sheet = CourseFixture().write("residual_depth");
    const Sheet::Row& last = table_of(sheet).rows.back();
    CHECK(last.cells[0].number < 0.01);
    CHECK(last.cells[1].number > 0.5);
}

TEST_CASE("course: W_V · W_O of a head has rank d_k, all heads together the full rank") {
    const CourseFixture f;
    const GptConfig& config = f.run.model->model.config();
    const Sheet sheet = f.write("spectrum");
    const Sheet::Table& table = table_of(sheet);
    const auto& one = table.rows[0].cells;  // numbers 1, 2, d_k/2 + 1, d_k, d_k + 1, C
    CHECK(one[0].number > 0);
    CHECK(one[4].number < 1e-5 * one[0].number);
    CHECK(table.rows[1].cells[4].number > 1e-3 * one[0].number);
    CHECK(f.fill("{rank one}") == std::to_string(config.head_size()));
    CHECK(f.fill("{count 2 · C · D}") == grouped(2 * config.channels * config.head_size()));
}
