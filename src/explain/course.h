// The course, chapter by chapter: what each chapter says, the command that shows it on a model of
// one's own, what to look at, and what is printed wrong in it, computed again. Facts and figures of
// five documents: chapters 9 and 12 of a course, notes on a film about attention, a tutorial (猫 吃
// 鱼) and an essay; every number of a run is read from the run.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "explain/pass.h"
#include "formats/sheet.h"

namespace zhuyi {

// A head, and the weight that was measured of it.
struct CourseHead {
    Index block, head;
    double weight;
};

// The run that the course looks at. What was not recorded of it is empty.
struct CourseRun {
    // What a head does, over many texts: of all heads the one that does it most.
    struct Role {
        std::string key;  // "previous"
        Words name;
        CourseHead best;
    };
    // A rule of its text, and the head that looks at what decides it.
    struct Rule {
        Text name;
        CourseHead best;
    };
    // A recorded frame of a token's embedding.
    struct Place {
        Index step;
        double from_start, cosine;  // ‖E - E₀‖, cosine of E with E₀
        std::string nearest;        // "大 0.52"
    };
    struct Way {
        std::string token;
        std::vector<Place> places;
    };

    std::string path;  // as commands name it: "runs/village"
    WorkedModel model;
    Index step;
    std::string program = "zhuyi";  // as a person calls it here
    std::vector<Role> roles{};
    std::vector<Rule> rules{};
    std::vector<Way> ways{};

    const Role* role(std::string_view key) const;
    const Rule* rule(std::string_view name) const;  // in Chinese
};

// A part of a chapter.
struct Lesson {
    const char* key;  // "9.4", "notes.2"
    Words title, idea;
    // What to type: "explain --example dot". {run} is the run's folder, {text} a head that was
    // measured: {head previous} or {head 他/她/它}.
    const char* commands[4];  // null after the last
    Words look, picture{};
    // What the program computes for it; null: nothing.
    void (*numbers)(Sheet& sheet, const CourseRun& run) = nullptr;
};

// Something that is printed wrong, or explained so that it misleads.
struct Erratum {
    std::string name;  // "E13" of numbers, "M9" of explanations
    std::string lesson;
    Label printed, right;
};

// ---- what the files of the course write

std::span<const Lesson> lessons_of_basics();  // chapters 4 to 8, 10, 11, 13
std::span<const Lesson> lessons_of_9();
std::span<const Lesson> lessons_of_12();
std::span<const Lesson> lessons_of_notes();
std::span<const Lesson> lessons_of_tutorial();  // and of the essay
std::span<const Lesson> lessons_of_more();      // what the course does not say
std::vector<Erratum> errata_of_9();
std::vector<Erratum> errata_of_12();
std::vector<Erratum> errata_of_notes();
std::vector<Erratum> errata_of_tutorial();
std::vector<Erratum> misleading();

// ---- the whole

std::vector<Lesson> course_lessons();
std::vector<Erratum> course_errata();
// The tokens of a text; of a long one the last that fit the model's context.
std::vector<Token> course_tokens(const CourseRun& run, const std::string& text);
// A command as it is typed, of this run: "zhuyi attend runs/village --text … --layer 2 --head 1".
std::string course_command(const std::string& pattern, const CourseRun& run);

// Every chapter with its parts: what `zhuyi course` prints.
Sheet course_contents(const CourseRun& run);
// chapter: "9", "9.4", "notes", "errata" (all of them) or "all". Throws UsageError for another.
Sheet course_sheet(const std::string& chapter, const CourseRun& run);

}  // namespace zhuyi
