#include "formats/sheet_format.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/format.h"
#include "formats/json.h"
#include "support/has.h"
#include "system/printable.h"

using namespace zhuyi;

namespace {

std::vector<std::string> lines(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t to = text.find('\n', from);
        lines.push_back(text.substr(from, to - from));
        from = to + 1;
    }
    return lines;
}

Sheet long_sheet() {
    Sheet sheet{{"a title", "一张演算表"}};
    sheet.section("vectors", {"vectors", "向量"});
    sheet.text({"not shown",
                "权重按 [输入, 输出] 存放，所以 Q = X · W_Q；这一句很长，一行里放不下，要在合适的"
                "地方换行，而标点不能放在行首。"});
    Grid x(2, 40);
    for (std::size_t i = 0; i < x.values.size(); ++i) x.values[i] = 0.01 * double(i) - 0.2;
    sheet.matrix("x", with_shape("x", x.shape()), {"小沈阳", "a"}, x);
    sheet.product("q·k", Numbers(20, 0.5), Numbers(20, -0.25), -2.5, 0.125);
    return sheet;
}

SheetStyle style(int columns, Colours colours = Colours::none) {
    return {0, false, columns, colours};
}

}  // namespace

TEST_CASE("sheet: numbers keep four digits that mean something, and no minus before zero") {
    CHECK(decimals_for(8.7) == 4);
    CHECK(decimals_for(0.5) == 4);
    CHECK(decimals_for(0.05) == 5);
    CHECK(decimals_for(0.0005) == 7);
    CHECK(decimals_for(0) == 4);
    CHECK(number_text(-0.00001, 4) == "0.0000");
    CHECK(number_text(-0.00005, 4) == "-0.0001");
    CHECK(number_text(-INFINITY, 4) == "-∞");
}

TEST_CASE("sheet: what is cut keeps its first ones and its last") {
    CHECK(shown(3, 5) == std::vector<Index>{0, 1, 2});
    CHECK(shown(9, 4) == std::vector<Index>{0, 1, 2, -1, 8});
    CHECK(shown(9, 0) == std::vector<Index>{0, -1, 8});
}

TEST_CASE("sheet: a product is written out as on paper") {
    CHECK(product_line({"a · b", {{0.6, 0.4}, {0.47, -0.63}}, -0.0561, {}}, 4) ==
          "a · b = 0.6000·0.4000 + 0.4700·(-0.6300) = -0.0561");
    CHECK(product_line({"q", {{1, 2}, {3, 4}, {5, 6}, {7, 8}}, 101, 1.0}, 2) ==
          "q = 1.0000·2.0000 + … + 7.0000·8.0000 + 1.0000 = 101.0000");
}

TEST_CASE("sheet on a terminal: no line is wider, rows line up, punctuation begins no line") {
    const Speaking chinese(Language::chinese);
    for (const int columns : {50, 72, 100}) {
        const std::string text = sheet_as_terminal(long_sheet(), style(columns));
        for (const std::string& line : lines(text)) {
            CAPTURE(line);
            CHECK(display_width(line) <= columns);
            for (const char* mark : {"，", "；", "。", "]"})
                CHECK(!std::string_view(line)
                           .substr(std::min<std::size_t>(line.size(), 3))
                           .starts_with(mark));
        }
        std::vector<std::string> rows;
        for (const std::string& line : lines(text))
            if (line.starts_with("   小沈阳") || line.starts_with("   a ")) rows.push_back(line);
        REQUIRE(rows.size() == 2);
        CHECK(display_width(rows[0]) == display_width(rows[1]));
        CHECK(has(rows[0], "…  0.1900"));  // the last number is always there
    }
}

TEST_CASE("sheet: written once, read in either language") {
    const std::string english = sheet_as_terminal(long_sheet(), {});
    CHECK(english.starts_with("a title\n\n1  vectors\n   not shown\n"));
    CHECK(in_chinese([&] {
              return sheet_as_terminal(long_sheet(), style(80));
          }).starts_with("一张演算表\n\n1  向量\n"));
    CHECK(has(english, "小沈阳  -0.2000"));  // what is no words is the same in both
}

TEST_CASE("sheet on a terminal: --width and --full") {
    const Speaking chinese(Language::chinese);
    const std::string three = sheet_as_terminal(long_sheet(), {3, false, 80});
    CHECK(has(three, "小沈阳  -0.2000  -0.1900  …  0.1900\n"));
    CHECK(has(three, "q·k = 0.5000·(-0.2500) + 0.5000·(-0.2500) + … + 0.5000·(-0.2500)"));
    const std::string full = sheet_as_terminal(long_sheet(), {0, true, 80});
    CHECK(!has(full, "…"));
    CHECK(has(full, "0.5900"));
}

TEST_CASE("sheet on a terminal: colours only where there are some") {
    const Speaking chinese(Language::chinese);
    const Sheet sheet = long_sheet();
    CHECK(!has(sheet_as_terminal(sheet, style(80)), "\x1b"));
    CHECK(has(sheet_as_terminal(sheet, style(80, Colours::palette)), "\x1b[1m一张演算表\x1b[0m"));
}

TEST_CASE("sheet: masked places, sums and the largest weight") {
    Sheet sheet{std::string("t")};
    sheet.section("s", std::string("s"));
    Sheet::Table& table = sheet.matrix("weights", {}, {"a", "b"});
    table.add("a", {1.0, Sheet::Cell::masked()});
    table.total("b", {0.25, 0.75});
    table.show_largest = true;
    const std::string text = sheet_as_terminal(sheet, {0, false, 80, Colours::palette});
    CHECK(has(text, "   a  \x1b[1;33m1.0000\x1b[0m       ·\n"));
    CHECK(has(text, "   ─────────────────\n   b  0.2500  0.7500"));  // a sum has no largest
    const std::string markdown = sheet_as_markdown(sheet, {});
    CHECK(has(markdown, "| a | **1.0000** | · |\n"));
    const Json json = parse_json(sheet_as_json(sheet), "sheet");
    const Json& rows = json.at("sections").items()[0].at("items").items()[0].at("rows");
    CHECK(rows.items()[0].at("values").items()[1].is_null());
    CHECK(rows.items()[1].at("values").items()[1].number() == 0.75);
}

TEST_CASE("sheet as Markdown and HTML: a character of the text stays a character") {
    Sheet sheet{std::string("t")};
    sheet.section("s", std::string("s"));
    sheet.text(std::string("a*b | <b> & \"W_Q\" _x"));
    sheet.matrix("v").add("<|endoftext|>", Numbers{1.0 / 3});
    const std::string markdown = sheet_as_markdown(sheet, {});
    CHECK(has(markdown, "a\\*b \\| \\<b\\> & \"W_Q\" \\_x\n"));
    CHECK(has(markdown, "| \\<\\|endoftext\\|\\> | 0.3333 |\n"));
    const std::string html = sheet_as_html(sheet, {});
    CHECK(has(html, "a*b | &lt;b&gt; &amp; &quot;W_Q&quot;"));
    CHECK(has(html, "<th>&lt;|endoftext|&gt;</th><td title=\"0.333333333\">0.3333</td>"));
    CHECK(!has(html, "http"));  // needs nothing from outside
}

TEST_CASE("sheet as JSON: nothing is cut or rounded") {
    const Speaking chinese(Language::chinese);
    const Json json = parse_json(sheet_as_json(long_sheet()), "sheet");
    CHECK(json.at("title").text() == "一张演算表");
    const Json::Array& items = json.at("sections").items()[0].at("items").items();
    CHECK(items[1].at("table").text() == "x");
    CHECK(items[1].at("rows").items()[1].at("values").items().size() == 40);
    CHECK(items[1].at("rows").items()[1].at("values").items()[39].number() == 0.01 * 79 - 0.2);
    CHECK(items[2].at("terms").items().size() == 20);
    CHECK(items[2].at("bias").number() == 0.125);
}

namespace {

// What a program reads of a run of three steps, written by hand.
Sheet training() {
    Sheet sheet{{"a run", "一次训练"}};
    sheet.set("train.tokens", 7), sheet.set("tied", true);
    Sheet::Table& values = sheet.values();
    values.value("loss", {"loss", "损失"}, Sheet::Cell::fixed(1.0 / 3, 2), "nats");
    values.value("", {"time", "用时"}, 2.5);
    Sheet::Table& steps = sheet.records("steps", {{"step", {"step", "步"}}});
    for (const double step : {0.0, 10.0}) steps.record({{step, format("%.0f", step)}});
    Sheet::Table& rules = sheet.records("steps.rules", {Sheet::unseen("../step"),
                                                        Sheet::unseen("rule"),
                                                        {"", {"rule", "规则"}},
                                                        {"seen.right", {"seen %", "见过 %"}},
                                                        Sheet::unseen("head[0]"),
                                                        Sheet::unseen("head[1]")});
    rules.record({0.0, "甲, \"乙\"", Words{"first", "甲, \"乙\""}, Sheet::Cell::none()});
    rules.record({10.0, "甲, \"乙\"", Words{"first", "甲, \"乙\""}, {0.955, "96"}, 2.0, 1.0});
    return sheet;
}

// RFC 4180 by the letter: fields of lines.
std::vector<std::vector<std::string>> parse_csv(const std::string& csv) {
    std::vector<std::vector<std::string>> lines;
    std::string field;
    std::vector<std::string> line;
    bool quoted = false;
    for (std::size_t i = 0; i < csv.size(); ++i) {
        const char c = csv[i];
        if (quoted && c == '"' && i + 1 < csv.size() && csv[i + 1] == '"')
            field += csv[++i];
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && (c == ',' || c == '\n')) {
            line.push_back(std::move(field)), field.clear();
            if (c == '\n') lines.push_back(std::move(line)), line.clear();
        } else
            field += c;
    }
    CHECK(field.empty());
    CHECK(!quoted);
    return lines;
}

}  // namespace

TEST_CASE("sheet: rows and columns with names for programs, and how a person reads them") {
    CHECK(sheet_as_terminal(training(), {}) ==
          "a run\n\n"
          "   loss    0.33  nats\n"
          "   time  2.5000\n\n"
          "   step\n      0\n     10\n\n"
          "   rule   seen %\n"
          "   first       –\n"
          "   first      96\n");
    const Json json = parse_json(in_chinese([] { return sheet_as_json(training()); }), "sheet");
    CHECK(json.write() ==
          R"({"train": {"tokens": 7}, "tied": true, "title": "一次训练", )"
          R"("loss": 0.3333333333333333, "steps": [)"
          R"({"step": 0, "rules": [{"rule": "甲, \"乙\"", "seen": null}]}, )"
          R"({"step": 10, "rules": [{"rule": "甲, \"乙\"", "seen": {"right": 0.955}, )"
          R"("head": [2, 1]}]}]})");
    const std::string markdown = sheet_as_markdown(training(), {});
    CHECK(has(markdown, "| rule | seen % |\n|:--|--:|\n| first | – |\n"));
    CHECK(has(sheet_as_html(training(), {}), "<td title=\"0.333333333\">0.33</td>"));
}

TEST_CASE("sheet as CSV: parsed again, every table has its name and its uncut numbers") {
    using Lines = std::vector<std::vector<std::string>>;
    CHECK(parse_csv(sheet_as_csv(training())) ==
          Lines{{"values"},
                {"name", "value"},
                {"train.tokens", "7"},
                {"tied", "true"},
                {"loss", "0.3333333333333333"},
                {""},
                {"steps"},
                {"step"},
                {"0"},
                {"10"},
                {""},
                {"steps.rules"},
                {"steps.step", "rule", "seen.right", "head[0]", "head[1]"},
                {"0", "甲, \"乙\"", ""},
                {"10", "甲, \"乙\"", "0.955", "2", "1"}});
    const Lines matrix = parse_csv(sheet_as_csv(long_sheet()));
    REQUIRE(matrix.size() == 3);
    CHECK(matrix[0] == std::vector<std::string>{"x"});
    CHECK(matrix[2].size() == 41);
    CHECK(std::stod(matrix[2][40]) == 0.01 * 79 - 0.2);
}

TEST_CASE("sheet: what is for programs alone, or for persons alone") {
    Sheet sheet;
    sheet.records("a", {{"x", "x"}}).reader = Sheet::Reader::person;
    sheet.records("b", {{"y", "y"}}).reader = Sheet::Reader::program;
    CHECK(sheet_as_terminal(sheet, {}) == "x\n");
    CHECK(sheet_as_csv(sheet) == "b\ny\n");
    CHECK(parse_json(sheet_as_json(sheet), "b").write() == "{\"b\": []}");
}
