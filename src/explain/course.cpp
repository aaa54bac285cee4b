#include "explain/course.h"

#include <algorithm>
#include <cctype>

#include "base/check.h"
#include "base/format.h"
#include "model/gpt.h"
#include "system/printable.h"
#include "text/tokenizer.h"

namespace zhuyi {
namespace {

struct Chapter {
    const char* key;
    Words title;
};

constexpr Chapter kChapters[] = {
    {"4", {"Chapter 4: from text to vectors", "第 4 章  从文字到向量"}},
    {"5", {"Chapter 5: positions", "第 5 章  位置编码"}},
    {"6", {"Chapter 6: LayerNorm and softmax", "第 6 章  LayerNorm 与 softmax"}},
    {"7", {"Chapter 7: the feed-forward network", "第 7 章  前馈网络 FFN"}},
    {"8", {"Chapter 8: linear maps", "第 8 章  线性变换"}},
    {"9", {"Chapter 9: attention as geometry", "第 9 章  注意力的几何"}},
    {"10", {"Chapter 10: what Q, K and V are", "第 10 章  Q、K、V 是什么"}},
    {"11", {"Chapter 11: the output of attention", "第 11 章  注意力的输出"}},
    {"12",
     {"Chapter 12: many heads, W_O, and what training adjusts",
      "第 12 章  多头、W_O，训练在调整什么"}},
    {"13", {"Chapter 13: residual connection and LayerNorm", "第 13 章  残差连接与 LayerNorm"}},
    {"notes", {"Notes on the film about attention", "笔记：一个讲注意力的视频"}},
    {"tutorial", {"Tutorial: 猫 吃 鱼 by hand", "教程：手算“猫 吃 鱼”"}},
    {"essay", {"Essay: why Q, K, V and why softmax", "短文：为什么要 Q、K、V，为什么要 softmax"}},
    {"more", {"What the course leaves open", "课程没有讲到的"}},
};

bool belongs(std::string_view key, std::string_view chapter) {
    return chapter == "all" || key == chapter ||
           (key.starts_with(chapter) && key.substr(chapter.size()).starts_with('.'));
}

std::string options_of(const CourseHead& head) {
    return format("--layer %td --head %td", head.block, head.head);
}

// As a shell takes it.
std::string shell_word(const std::string& path) {
    const auto plain = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) ||
               std::string_view("/._-").find(c) != std::string_view::npos ||
               static_cast<unsigned char>(c) >= 0x80;
    };
    if (std::ranges::all_of(path, plain)) return path;
    std::string word = "'";
    for (const char c : path) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return word + "'";
}

void write_erratum(Sheet& sheet, const Erratum& e) {
    const bool number = e.name[0] == 'E';
    sheet.text(e.name + " · " + e.lesson + "  " +
               (number ? say({"printed: ", "书上印的："}) : say({"one reads: ", "书上说："})) +
               e.printed);
    sheet.text(std::string("    → ") + e.right);
}

void write_lesson(Sheet& sheet, const Lesson& lesson, const std::vector<Erratum>& errata,
                  const CourseRun& run) {
    sheet.sections.push_back({lesson.key, std::string(lesson.key) + "  " + say(lesson.title)});
    sheet.text(say(lesson.idea));
    for (const char* command : lesson.commands)
        if (command) sheet.command(course_command(command, run));
    sheet.text(say({"Look at: ", "看什么："}) + say(lesson.look));
    if (*lesson.picture.english)
        sheet.text(say({"You will see: ", "会看到："}) + say(lesson.picture));
    if (lesson.numbers) lesson.numbers(sheet, run);
    for (const Erratum& e : errata)
        if (e.lesson == lesson.key) write_erratum(sheet, e);
}

[[noreturn]] void fail_chapter(const std::string& chapter) {
    std::string known;
    for (const Chapter& c : kChapters) known += std::string(c.key) + " ";
    fail_usage({"the course has no chapter %s; it has %serrata all, and parts such as 9.4",
                "课程里没有 %s；有 %serrata all，也可以写一节，如 9.4"},
               in_quotes(chapter), known);
}

}  // namespace

const CourseRun::Role* CourseRun::role(std::string_view key) const {
    const auto found = std::ranges::find(roles, key, &Role::key);
    return found == roles.end() ? nullptr : &*found;
}

const CourseRun::Rule* CourseRun::rule(std::string_view name) const {
    const auto found =
        std::ranges::find_if(rules, [&](const Rule& r) { return r.name.chinese == name; });
    return found == rules.end() ? nullptr : &*found;
}

std::vector<Token> course_tokens(const CourseRun& run, const std::string& text) {
    std::vector<Token> ids = run.model.tokenizer.encode(text);
    const Index more = std::ssize(ids) - run.model.model.config().context;
    if (more > 0) ids.erase(ids.begin(), ids.begin() + more);
    return ids;
}

std::string course_command(const std::string& pattern, const CourseRun& run) {
    std::string text = run.program + " ";
    for (std::size_t at = 0; at < pattern.size();) {
        const std::size_t open = std::min(pattern.find('{', at), pattern.size());
        text += pattern.substr(at, open - at);
        if (open == pattern.size()) break;
        const std::size_t close = pattern.find('}', open);
        const std::string word = pattern.substr(open + 1, close - open - 1);
        at = close + 1;
        if (word == "run") {
            text += shell_word(run.path);
            continue;
        }
        const std::string name = word.substr(std::string_view("head ").size());
        const CourseHead* head = nullptr;
        if (const auto* role = run.role(name)) head = &role->best;
        if (const auto* rule = run.rule(name)) head = &rule->best;
        if (head) text += options_of(*head);
    }
    while (text.ends_with(' ')) text.pop_back();
    return text;
}

std::vector<Lesson> course_lessons() {
    std::vector<Lesson> all;
    for (const auto& part : {lessons_of_basics(), lessons_of_9(), lessons_of_12(),
                             lessons_of_notes(), lessons_of_tutorial(), lessons_of_more()})
        all.insert(all.end(), part.begin(), part.end());
    return all;
}

std::vector<Erratum> course_errata() {
    std::vector<Erratum> all;
    for (const auto& part :
         {errata_of_12(), errata_of_9(), errata_of_notes(), errata_of_tutorial(), misleading()})
        all.insert(all.end(), part.begin(), part.end());
    return all;
}

Sheet course_contents(const CourseRun& run) {
    Sheet sheet{say(
        {"The course, on your own model %s (step %td)", "课程导读：用你自己的模型 %s（第 %td 步）"},
        printable(run.path), run.step)};
    const std::vector<Lesson> lessons = course_lessons();
    for (const Chapter& chapter : kChapters) {
        sheet.sections.push_back({chapter.key, say(chapter.title)});
        Sheet::Table& table = sheet.list("lessons");
        for (const Lesson& lesson : lessons)
            if (belongs(lesson.key, chapter.key)) table.add(lesson.key, {say(lesson.title)});
    }
    sheet.sections.push_back({"how", {}});
    sheet.text(
        {"zhuyi course 9 shows a chapter, zhuyi course 9.4 a part, zhuyi course errata what is "
         "printed wrong, zhuyi course all everything.",
         "zhuyi course 9 看一章，zhuyi course 9.4 看一节，zhuyi course errata 看全部勘误，"
         "zhuyi course all 从头看到尾。"});
    return sheet;
}

Sheet course_sheet(const std::string& chapter, const CourseRun& run) {
    const std::vector<Erratum> errata = course_errata();
    Sheet sheet{say({"The course: %s, run %s", "课程导读：%s，训练目录 %s"}, printable(chapter),
                    printable(run.path))};
    if (chapter == "errata") {
        sheet.sections.push_back(
            {"errata",
             {"What is printed wrong, and what misleads", "勘误：印错的数，和容易误解的说法"}});
        for (const Erratum& e : errata) write_erratum(sheet, e);
        return sheet;
    }
    const std::vector<Lesson> lessons = course_lessons();
    for (const Chapter& c : kChapters)
        for (const Lesson& lesson : lessons)
            if (belongs(lesson.key, c.key) && belongs(lesson.key, chapter))
                write_lesson(sheet, lesson, errata, run);
    if (sheet.sections.empty()) fail_chapter(chapter);
    return sheet;
}

}  // namespace zhuyi
