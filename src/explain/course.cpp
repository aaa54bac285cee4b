#include "explain/course.h"

#include <algorithm>
#include <map>

#include "base/check.h"
#include "model/gpt.h"
#include "system/printable.h"

namespace zhuyi {
static bool belongs(std::string_view key, std::string_view chapter) {
    return chapter == "all" || key == chapter ||
           (key.starts_with(chapter) && key.substr(chapter.size()).starts_with('.'));
}

// Is a place filled from the run's model?
static bool of_model(const CoursePlace& place) {
    static constexpr std::string_view kOfModel[] = {"if",      "size", "tokens",  "near",
                                                    "looks",   "rank", "compare", "growth",
                                                    "without", "best", "carries"};
    static constexpr std::string_view kSizes[] = {"V", "C", "H", "L", "D", "last"};
    const auto is_one_of = [](std::span<const std::string_view> names, const std::string& word) {
        return std::ranges::find(names, word) != names.end();
    };
    const bool counted = place.word(0) == "count" || place.word(0) == "root";
    return is_one_of(kOfModel, place.word(0)) ||
           (counted &&
            std::ranges::any_of(place.words, [&](const auto& w) { return is_one_of(kSizes, w); }));
}

static void write_items(Sheet& sheet, const CoursePart& part, const CourseRun& run) {
    for (const CourseItem& item : part.items) {
        if (item.kind == CourseItem::Kind::sheet) {
            const CoursePlace place{{"sheet", item.text}, item.where};
            if (run.model || course_small_sheets().contains(item.text))
                course_sheet_named(place)(sheet, run);
            continue;
        }
        const std::optional<std::string> text = filled(item, run);
        if (!text) continue;
        if (item.kind == CourseItem::Kind::command) sheet.command(*text);
        if (item.kind == CourseItem::Kind::formula) sheet.formula(*text);
        if (item.kind == CourseItem::Kind::text) sheet.text(*text);
        if (item.kind == CourseItem::Kind::answer) sheet.folded(*text);
    }
}

// "E13 · chapter 9, 9.6  printed: …", and below it what is right.
static void write_erratum(Sheet& sheet, const CoursePart& erratum, const CourseRun& run) {
    std::string before = erratum.key + " · " + erratum.title + "  ";
    for (const CourseItem& item : erratum.items) {
        sheet.text(std::string(before + filled(item, run).value_or("")));
        before = "    ";
    }
}

// Those with wrong numbers (E) first, each kind by its number.
static void write_errata(Sheet& sheet, const std::vector<CoursePart>& parts, const CourseRun& run) {
    std::map<std::pair<char, int>, const CoursePart*> errata;
    for (const CoursePart& part : parts)
        if (part.level == 3) errata[{part.key[0], std::stoi(part.key.substr(1))}] = &part;
    for (const auto& [number, erratum] : errata) write_erratum(sheet, *erratum, run);
}

[[noreturn]] static void fail_chapter(const std::string& chapter,
                                      const std::vector<CoursePart>& parts) {
    std::string known;
    for (const CoursePart& part : parts)
        if (part.level == 1) known += part.key + " ";
    fail_usage(
        {"the course has no chapter %s; it has %serrata all, parts such as 9.4, and E1 to M32",
         "课程里没有 %s；有 %serrata all，也可以写一节（9.4）或一条勘误（E13）"},
        in_quotes(chapter), known);
}

WriteSheet course_sheet_named(const CoursePlace& place) {
    for (const auto* sheets :
         {&course_small_sheets(), &course_sheets_of_run(), &course_cost_sheets()})
        if (const auto found = sheets->find(place.word(1)); found != sheets->end())
            return found->second;
    place.fail();
}

std::optional<std::string> filled(const CourseItem& item, const CourseRun& run) {
    const bool command = item.kind == CourseItem::Kind::command;
    std::string text = command ? run.program + " " : "";
    std::size_t at = 0;
    for (const CoursePlace& place : course_places(item)) {
        const std::size_t open = item.text.find('{', at);
        text += item.text.substr(at, open - at);
        at = item.text.find('}', open) + 1;
        const auto number = course_numbers().find(place.word(0));
        if (number == course_numbers().end()) place.fail();
        const std::optional<std::string> value =
            run.model || !of_model(place) ? number->second(run, place) : std::nullopt;
        const bool optional =
            command && place.word(place.words.count() - 1) == "options";  // without it: all heads
        if (!value && !optional) return {};
        text += value.value_or("");
    }
    text += item.text.substr(at);
    while (command && text.ends_with(' ')) text.pop_back();
    return text;
}

Sheet course_contents(const CourseRun& run) {
    Sheet sheet{run.model ? say({"The course, on your own model %s (step %td)",
                                 "课程导读：用你自己的模型 %s（第 %td 步）"},
                                printable(run.path), run.step)
                          : say({"The course", "课程导读"})};
    const std::vector<CoursePart> parts = course_text(spoken());
    for (const CoursePart& part : parts) {
        if (part.level == 1) {
            sheet.sections.push_back({part.key, std::string(part.title)});
            sheet.list("lessons");
        }
        if (part.level == 2)
            std::get<Sheet::Table>(sheet.sections.back().items.back()).add(part.key, {part.title});
    }
    sheet.sections.push_back({"how", {}});
    write_items(sheet, parts[0], run);
    return sheet;
}

Sheet course_sheet(const std::string& chapter, const CourseRun& run) {
    const std::string title = printable(chapter), path = printable(run.path);
    Sheet sheet{run.model
                    ? say({"The course: %s, run %s", "课程导读：%s，训练目录 %s"}, title, path)
                    : say({"The course: %s", "课程导读：%s"}, title)};
    const std::vector<CoursePart> parts = course_text(spoken());
    if (chapter == "errata") {
        sheet.sections.push_back(
            {"errata",
             {"What is printed wrong, and what misleads", "勘误：印错的数，和容易误解的说法"}});
        write_errata(sheet, parts, run);
        return sheet;
    }
    std::string current;  // the part that an erratum belongs to
    for (const CoursePart& part : parts) {
        if (part.level == 2) current = part.key;
        const bool erratum = part.level == 3;
        if (part.level < 2 || !(belongs(current, chapter) || (erratum && part.key == chapter)))
            continue;
        if (erratum) {
            if (sheet.sections.empty()) sheet.part();
            write_erratum(sheet, part, run);
            continue;
        }
        sheet.sections.push_back({part.key, std::string(part.key + "  " + part.title)});
        write_items(sheet, part, run);
    }
    if (sheet.sections.empty()) fail_chapter(chapter, parts);
    return sheet;
}

}  // namespace zhuyi
