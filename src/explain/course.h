// The course, chapter by chapter: what each chapter says, the command that shows it on a model of
// one's own, what to look at, and what is printed wrong in it. Its words are data/course.zh.md and
// data/course.en.md, which say how they are written; the build embeds them. Here is what happens to
// them: they are read (course_text.cpp), their places such as {count 4 · 512} and {sheet rnn} are
// filled with what is computed (course_numbers.cpp; course_small.cpp, course_of_run.cpp,
// course_costs.cpp), and they become a sheet (course.cpp).
#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "attention/maps.h"
#include "base/list.h"
#include "explain/pass.h"
#include "formats/sheet.h"

namespace zhuyi {

// ---- the words

struct CourseItem {
    enum class Kind { text, command, formula, sheet, answer };
    Kind kind;
    std::string text;   // of a command without the "zhuyi " before it, of a sheet its name
    std::string where;  // "data/course.zh.md:12"
};

// A heading and what stands below it. Level 0: what stands before the first heading; 1: a chapter
// ("9"); 2: a part of it ("9.4"); 3: an erratum of this part ("E13"), whose title says where it is
// printed.
struct CoursePart {
    Index level = 0;
    std::string key{}, title{};
    std::vector<CourseItem> items{};
};

// Throws Error, which names the line, for what is not written as the file says.
std::vector<CoursePart> parse_course(std::string_view markdown, const std::string& file);
std::vector<CoursePart> course_text(Language language);

// ---- the run

// A head, and how much it does of what it was measured for: of a role ("previous", the head that
// does it most, over many texts) or of a rule of the run's text ("他/她/它", the head that looks
// most at what decides it).
struct CourseHead {
    std::string key{};
    std::string name{};
    Index block = 0, head = 0;
    double weight = -1;
    // Of a rule: the head or FFN that carries it, and the percentage points that its loss costs.
    std::string carrier{};
    double points = 0;
    std::string number() const;  // "2.1"
};

// What was not recorded of a run is empty; all of it, where there is no run.
struct CourseRun {
    std::string path;  // as commands name it: "runs/village"
    std::optional<WorkedModel> model{};
    Index step = 0;
    std::string program = "zhuyi";  // as a person calls it here
    std::vector<CourseHead> roles{}, rules{};
    std::vector<Sheet::Table> by_training{};  // of a token each: how training moved its row of E

    // Of a role or rule; null if it was not measured.
    const CourseHead* head(std::string_view key) const;
    // The tokens of a text; of a long one the last that fit the model's context.
    std::vector<Token> tokens(const std::string& text) const;
    AttentionMaps maps(const std::string& text) const;
};

// ---- what is computed

// A place in the words: {example weights 猫}.
struct CoursePlace {
    List<std::string> words;  // "example", "weights", "猫"
    std::string where;
    std::string word(Index i) const;  // "" behind the last
    [[noreturn]] void fail() const;   // nothing fills it
};

// What stands in a place: a text, or nothing if the run has not recorded what is asked for. Calls
// place.fail() if it does not know a word of it.
using CourseNumbers = std::map<std::string_view, std::optional<std::string> (*)(
                                                     const CourseRun&, const CoursePlace&)>;
const CourseNumbers& course_numbers();

// Writes tables; none, if the run has not recorded what they show.
using WriteSheet = void (*)(Sheet&, const CourseRun&);
using CourseSheets = std::map<std::string_view, WriteSheet>;
const CourseSheets& course_small_sheets();   // numbers for a pencil
const CourseSheets& course_sheets_of_run();  // of the run's model
const CourseSheets& course_cost_sheets();    // timed on this machine

WriteSheet course_sheet_named(const CoursePlace& place);  // {sheet rnn}

// All places of an item, in their order. Throws Error for one that is not closed.
std::vector<CoursePlace> course_places(const CourseItem& item);
// The item's text with its places filled; nothing, if the run lacks one of them or there is no run
// to compute it from. A command begins with the program's name: "zhuyi attend runs/village --layer
// 2 --head 1".
std::optional<std::string> filled(const CourseItem& item, const CourseRun& run);

// Of all heads the one in which `asker` gives most of its attention to all tokens of `answer`
// together; its weight is -1 if the text has none of them before the asker.
CourseHead most_looking(const AttentionMaps& maps, Index asker, const std::string& answer);
Numbers library_weights();  // Python, 机器学习, 烹饪: what a query for 机器学习 gives to each
Grid softmax_of_scores();  // (3, 3): the tutorial's S, row by row
// (C): of W_V · W_O of the last block, of its head 0 alone or of all heads, the largest first.
Numbers singular_values(const CourseRun& run, bool all_heads);

// ---- the whole

// Every chapter with its parts: what `zhuyi course` prints.
Sheet course_contents(const CourseRun& run);
// chapter: "9", "9.4", "E13", "notes", "errata" (all of them) or "all". Throws UsageError for
// another.
Sheet course_sheet(const std::string& chapter, const CourseRun& run);

}  // namespace zhuyi
