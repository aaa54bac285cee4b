#include "explain/course.h"

#include <algorithm>

#include "base/check.h"
#include "model/gpt.h"
#include "system/printable.h"

namespace zhuyi {
static bool belongs(std::string_view key, std::string_view chapter) {
    return chapter == "all" || key == chapter ||
           (key.starts_with(chapter) && key.substr(chapter.size()).starts_with('.'));
}

static void write_items(Sheet& sheet, const CoursePart& part, const CourseRun& run) {
    for (const CourseItem& item : part.items) {
        if (item.kind == CourseItem::Kind::sheet) {
            const CoursePlace place{{"sheet", item.text}, item.where};
            course_sheet_named(place)(sheet, run);
            continue;
        }
        const std::optional<std::string> text = filled(item, run);
        if (!text) continue;
        if (item.kind == CourseItem::Kind::command) sheet.command(*text);
        if (item.kind == CourseItem::Kind::formula) sheet.formula(*text);
        if (item.kind == CourseItem::Kind::text) sheet.text(std::string(*text));
    }
}

// "E13 · 9.6  printed: …", and below it what is right.
static void write_erratum(Sheet& sheet, const CoursePart& erratum, const std::string& part,
                          const CourseRun& run) {
    std::string before = erratum.key + " · " + part + "  ";
    for (const CourseItem& item : erratum.items) {
        sheet.text(std::string(before + filled(item, run).value_or("")));
        before = "    ";
    }
}

// Those with wrong numbers (E) first, each kind by its number.
static void write_errata(Sheet& sheet, const std::vector<CoursePart>& parts, const CourseRun& run) {
    std::vector<std::pair<const CoursePart*, std::string>> errata;  // each with the part of it
    std::string part;
    for (const CoursePart& p : parts) {
        if (p.level == 2) part = p.key;
        if (p.level == 3) errata.emplace_back(&p, part);
    }
    std::ranges::sort(errata, {}, [](const auto& e) {
        return std::pair(e.first->key[0], std::stoi(e.first->key.substr(1)));
    });
    for (const auto& [erratum, where] : errata) write_erratum(sheet, *erratum, where, run);
}

[[noreturn]] static void fail_chapter(const std::string& chapter,
                                      const std::vector<CoursePart>& parts) {
    std::string known;
    for (const CoursePart& part : parts)
        if (part.level == 1) known += part.key + " ";
    fail_usage({"the course has no chapter %s; it has %serrata all, and parts such as 9.4",
                "课程里没有 %s；有 %serrata all，也可以写一节，如 9.4"},
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
        const std::optional<std::string> value = number->second(run, place);
        if (!value && !command) return {};  // a command without {head …} shows all heads
        text += value.value_or("");
    }
    text += item.text.substr(at);
    while (command && text.ends_with(' ')) text.pop_back();
    return text;
}

Sheet course_contents(const CourseRun& run) {
    Sheet sheet{say(
        {"The course, on your own model %s (step %td)", "课程导读：用你自己的模型 %s（第 %td 步）"},
        printable(run.path), run.step)};
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
    Sheet sheet{say({"The course: %s, run %s", "课程导读：%s，训练目录 %s"}, printable(chapter),
                    printable(run.path))};
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
        if (part.level < 2 || !belongs(current, chapter)) continue;
        if (part.level == 3) {
            write_erratum(sheet, part, current, run);
            continue;
        }
        sheet.sections.push_back({part.key, std::string(part.key + "  " + part.title)});
        write_items(sheet, part, run);
    }
    if (sheet.sections.empty()) fail_chapter(chapter, parts);
    return sheet;
}

}  // namespace zhuyi
