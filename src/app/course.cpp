#include <algorithm>
#include <filesystem>

#include "app/command.h"
#include "app/shared.h"
#include "attention/roles.h"
#include "base/format.h"
#include "explain/course.h"
#include "film/stream_list.h"
#include "probe/knowledge.h"
#include "probe/question.h"
#include "system/input_file.h"
#include "system/printable.h"
#include "system/terminal.h"

namespace zhuyi {
namespace {

// Of each role the film has recorded the head that does it most.
void add_roles(CourseRun& course, const History& film) {
    const HistoryStream* stream = film.stream("heads.roles");
    if (!stream) return;
    const HistoryNumbers shares = film.numbers(film.frames.back(), "heads.roles");
    const List<Index> habit = habits(film, film.frames.back());
    const Index recorded = stream->shape[0], blocks = stream->shape[1], heads = stream->shape[2];
    for (Index r = 0; r < recorded; ++r) {
        const HeadRole& role = kHeadRoles[std::size_t(r)];
        CourseHead best{role.key, say(role.name)};
        for (Index b = 0; b < blocks; ++b)
            for (Index h = 0; h < heads; ++h) {
                const double share = shares[std::size_t((r * blocks + b) * heads + h)];
                if (share > best.weight) best.block = b, best.head = h, best.weight = share;
            }
        if (habit[best.block * heads + best.head] != r)
            best.name += say({" (not yet a habit)", "（还不算习惯）"});
        course.roles.push_back(best);
    }
}

// About seven frames of one token.
void add_training_of(const std::string& name, CourseRun& course, const History& film) {
    const Tokenizer& tokenizer = course.model->tokenizer;
    const std::vector<Token> ids = tokenizer.encode(name);
    const Index place = ids.size() == 1 ? film.place_of(ids[0]) : -1;
    if (place < 0) return;
    Sheet::Table table{"by_training",
                       say({"By training: E[%s]", "训练：E[%s]"}, name),
                       {{"from start", "离初始值"}, {"cosine", "余弦"}, {"nearest", "最近的字"}},
                       false};
    constexpr std::size_t kParts = 6;
    const std::vector<double> start = film.embedding(film.frames.front(), place);
    Index before = -1;
    for (std::size_t part = 0; part <= kParts; ++part) {
        const Frame& frame = film.frames[part * (film.frames.size() - 1) / kParts];
        if (before == frame.step) continue;
        before = frame.step;
        const std::size_t at = std::size_t(place * kNeighbours);
        const HistoryNumbers near = film.numbers(frame, "watched.neighbours");
        const std::string nearest =
            near[at] < 0 ? ""
                         : tokenizer.name(Token(near[at])) +
                               format(" %.2f", film.numbers(frame, "watched.cosine")[at]);
        table.add(say({"step %td", "第 %td 步"}, frame.step),
                  {film.numbers(frame, "watched.from_start")[std::size_t(place)],
                   cosine(film.embedding(frame, place), start), nearest});
    }
    course.by_training.push_back(std::move(table));
}

void add_rules(CourseRun& course, const RunFolder& folder) {
    if (!std::filesystem::exists(folder.probes()) || !std::filesystem::exists(folder.probe_log()))
        return;
    const ProbeFile file = read_probes(folder.probes());
    const std::string log = folder.probe_log();
    const ProbeHistory history = parse_probe_log(read_file(log), log, file.rules);
    if (history.evaluations.empty()) return;
    const std::vector<Knowledge>& known = history.evaluations.back().rules;
    for (std::size_t r = 0; r < std::min(known.size(), file.rules.size()); ++r)
        if (const Knowledge& k = known[r]; k.head)
            course.rules.push_back(
                {file.rules[r].chinese, say(file.rules[r]), k.head->block, *k.head->head, k.weight,
                 k.carries ? k.carries->part.name() : "", k.carries ? k.carries->points : 0});
}

// A run as the course looks at it: its model, and what was recorded of its training.
CourseRun course_run(const LoadedRun& run, const std::string& path) {
    CourseRun course{path, WorkedModel{*run.model, *run.parameters, *run.tokenizer},
                     run.checkpoint.step};
    if (std::filesystem::exists(run.folder.history())) {
        const History film = read_history(run.folder.history(), run.tokenizer->size());
        add_roles(course, film);
        for (const char* token : {"小", "猫"}) add_training_of(token, course, film);
    }
    add_rules(course, run.folder);
    return course;
}

class CourseCommand : public Command {
  public:
    CourseCommand()
        : Command(
              "course", "[9|9.4|notes|tutorial|essay|more|lesson|errata|all] [--run RUN]",
              {"the course, chapter by chapter: what to type, what to see, what is printed wrong",
               "课程导读：逐章说明敲什么命令、看什么，以及勘误"}) {}

    void declare(Options& options) override {
        options.group({"course", "课程"});
        options.add("run", run_, "", {"the run to look at", "看哪个训练目录"});
        options.add("lesson", lesson_,
                    {"one lesson of 45 minutes: guess, run, explain (course lesson); with --format "
                     "html a handout to print (--full opens the answers)",
                     "一节 45 分钟的课：先猜，再运行，再解释（即 course lesson）；加 --format html "
                     "是可以打印的讲义（--full 打开答案）"});
        declare_checkpoint(options, checkpoint_);
        output_.declare(options);
    }
    int run(const std::vector<std::string>& typed, const Options& options) override {
        std::vector<std::string> words = typed;
        if (lesson_) words.insert(words.begin(), "lesson");
        if (words.size() > 1)
            fail_usage({"course takes one chapter; found also %s", "course 只取一章；多出了 %s"},
                       in_quotes(words[1]));
        std::error_code ignored;
        const bool none = !options.was_set("run") && !std::filesystem::exists(run_, ignored);
        if (none)
            tell(say({"zhuyi: no numbers of a model: there is no %s (make demo makes it)\n",
                      "zhuyi：没有 %s，所以不列出模型的数（make demo 会训练出一个）\n"},
                     printable(run_)));
        std::optional<LoadedRun> loaded;
        if (!none) loaded = open_run(run_, checkpoint_);
        CourseRun course = none ? CourseRun{run_} : course_run(*loaded, run_);
        if (std::filesystem::exists("build/zhuyi", ignored)) course.program = "build/zhuyi";
        output_.write(words.empty() ? course_contents(course) : course_sheet(words[0], course));
        return 0;
    }

  private:
    std::string run_ = "runs/village", checkpoint_ = "best";
    bool lesson_ = false;
    SheetOutput output_;
};

}  // namespace

std::unique_ptr<Command> course_command() { return std::make_unique<CourseCommand>(); }

}  // namespace zhuyi
