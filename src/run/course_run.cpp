#include "run/course_run.h"

#include <algorithm>

#include "attention/roles.h"
#include "base/format.h"
#include "film/stream_list.h"
#include "probe/knowledge.h"
#include "probe/question.h"
#include "system/input_file.h"

namespace zhuyi {
namespace {

std::vector<CourseRun::Role> roles_in(const History& film) {
    std::vector<CourseRun::Role> roles;
    const HistoryStream* stream = film.stream("heads.roles");
    if (!stream) return roles;
    const HistoryNumbers shares = film.numbers(film.frames.back(), "heads.roles");
    const Index recorded = stream->shape[0], blocks = stream->shape[1], heads = stream->shape[2];
    for (Index r = 0; r < recorded; ++r) {
        CourseHead best{0, 0, -1};
        for (Index b = 0; b < blocks; ++b)
            for (Index h = 0; h < heads; ++h) {
                const double share = shares[std::size_t((r * blocks + b) * heads + h)];
                if (share > best.weight) best = {b, h, share};
            }
        const HeadRole& role = kHeadRoles[std::size_t(r)];
        roles.push_back({role.key, role.name, best});
    }
    return roles;
}

// About seven frames of one token.
void add_way(CourseRun& course, const History& film, const Tokenizer& tokenizer,
             const std::string& name) {
    const std::vector<Token> ids = tokenizer.encode(name);
    const Index place = ids.size() == 1 ? film.place_of(ids[0]) : -1;
    if (place < 0) return;
    constexpr std::size_t kParts = 6;
    const std::vector<double> start = film.embedding(film.frames.front(), place);
    CourseRun::Way way{name, {}};
    for (std::size_t part = 0; part <= kParts; ++part) {
        const Frame& frame = film.frames[part * (film.frames.size() - 1) / kParts];
        if (!way.places.empty() && way.places.back().step == frame.step) continue;
        const std::size_t at = std::size_t(place * kNeighbours);
        const HistoryNumbers near = film.numbers(frame, "watched.neighbours");
        const std::string nearest =
            near[at] < 0 ? ""
                         : tokenizer.name(Token(near[at])) +
                               format(" %.2f", film.numbers(frame, "watched.cosine")[at]);
        way.places.push_back({frame.step,
                              film.numbers(frame, "watched.from_start")[std::size_t(place)],
                              cosine(film.embedding(frame, place), start), nearest});
    }
    course.ways.push_back(std::move(way));
}

void add_rules(CourseRun& course, const RunFolder& folder) {
    if (!exists(folder.probes()) || !exists(folder.probe_log())) return;
    const ProbeFile file = read_probes(folder.probes().string());
    std::vector<std::string> names;
    for (const Text& rule : file.rules) names.push_back(rule.chinese);
    const std::string log = folder.probe_log().string();
    const ProbeHistory history = parse_probe_log(read_file(log), log, names);
    if (history.evaluations.empty()) return;
    const std::vector<Knowledge>& known = history.evaluations.back().rules;
    for (std::size_t r = 0; r < std::min(known.size(), file.rules.size()); ++r)
        if (known[r].head)
            course.rules.push_back(
                {file.rules[r], {known[r].head->block, known[r].head->head, known[r].weight}});
}

}  // namespace

CourseRun course_run(const LoadedRun& run, const std::string& path) {
    CourseRun course{path, {*run.model, *run.parameters, *run.tokenizer}, run.checkpoint.step};
    if (exists(run.folder.history())) {
        const History film = read_history(run.folder.history().string(), run.tokenizer->size());
        course.roles = roles_in(film);
        for (const char* token : {"小", "猫"}) add_way(course, film, *run.tokenizer, token);
    }
    add_rules(course, run.folder);
    return course;
}

}  // namespace zhuyi
