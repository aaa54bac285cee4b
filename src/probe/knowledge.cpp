#include "probe/knowledge.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/check.h"
#include "base/format.h"
#include "model/config.h"
#include "system/printable.h"

namespace zhuyi {

namespace {

// Sums over the questions of one rule and kind.
struct Sums {
    double asked = 0, right = 0, margin = 0, with_answerer = 0;
    Numbers weights;  // (L, H)

    void add(const Question& question, const Answers& answers, Index q) {
        ++asked, right += answers.right(q), margin += answers.margins[q];
        if (question.asker < 0) return;
        ++with_answerer;
        for (Index i = 0; i < weights.count(); ++i)
            weights[i] += answers.weights[q * weights.count() + i];
    }
    std::optional<Answered> mean() const {
        if (asked == 0) return {};
        return Answered{right / asked, margin / asked};
    }
};

// The right answers of one rule.
struct Tally {
    std::map<std::string, OneAnswer> answers;

    void add(const Question& question, bool right) {
        OneAnswer& answer = answers[question.right];
        answer.text = question.right, ++answer.asked, answer.right += right;
    }
    std::optional<OneAnswer> worst() const {
        OneAnswer rare;
        std::vector<OneAnswer> alone;
        for (const auto& [text, answer] : answers)
            if (answer.asked >= kAskedAlone)
                alone.push_back(answer);
            else
                rare.right += answer.right, rare.asked += answer.asked;
        if (alone.empty()) return {};  // the mean says it
        alone.push_back(rare);
        std::optional<OneAnswer> worst;
        for (const OneAnswer& answer : alone) {
            if (answer.right == answer.asked) continue;
            // right / asked against the worst so far, in whole numbers
            const Index better =
                worst ? answer.right * worst->asked - worst->right * answer.asked : -1;
            if (better < 0 || (better == 0 && answer.asked > worst->asked)) worst = answer;
        }
        return worst;
    }
};

}  // namespace

bool Knowledge::known() const {
    const auto well = [](const std::optional<Answered>& a) { return !a || a->right >= kKnown; };
    return (seen || unseen) && well(seen) && well(unseen) &&
           (!worst || double(worst->right) >= kAnswerKnown * double(worst->asked));
}

std::string OneAnswer::said() const {
    return format("%s %td/%td",
                  text.empty() ? say({"others", "其余"}).c_str() : printable(text).c_str(), right,
                  asked);
}

std::vector<Knowledge> knowledge(const Questions& questions, const Answers& answers,
                                 const GptConfig& config) {
    const Sums none{.weights = Numbers(std::size_t(config.layers * config.heads))};
    std::vector<std::array<Sums, kProbeKinds.size()>> sums(questions.rules.size(),
                                                           {none, none, none});
    std::vector<Tally> tallies(questions.rules.size());
    for (Index q = 0; q < questions.all.count(); ++q) {
        const Question& question = questions.all[q];
        sums[question.rule][std::size_t(question.kind)].add(question, answers, q);
        if (question.kind != ProbeKind::form)
            tallies[question.rule].add(question, answers.right(q));
    }
    std::vector<Knowledge> all;
    for (std::size_t rule = 0; rule < questions.rules.size(); ++rule) {
        const auto& [seen, unseen, form] = sums[rule];
        Knowledge k{seen.mean(), unseen.mean(), form.mean(), {}};
        if (unseen.with_answerer > 0) {
            const auto best = std::ranges::max_element(unseen.weights);
            const Index place = best - unseen.weights.begin();
            k.head = ModelPart{place / config.heads, place % config.heads};
            k.weight = *best / unseen.with_answerer;
        }
        k.worst = tallies[rule].worst();
        all.push_back(k);
    }
    return all;
}

void add_carriers(std::vector<Knowledge>& knowledge, const Ablation& ablation) {
    for (std::size_t rule = 0; rule < knowledge.size(); ++rule) {
        Lost most{0, 0};
        for (Index l = 0; l < ablation.layers; ++l)
            for (Index h = 0; h <= ablation.heads; ++h) {
                const Lost& lost = ablation.of(rule, l, h);
                if (std::pair(lost.points, lost.margin) <= std::pair(most.points, most.margin))
                    continue;
                most = lost;
                const ModelPart part{l, h < ablation.heads ? std::optional(h) : std::nullopt};
                knowledge[rule].carries = {part, lost.points};
            }
    }
}

// The columns that two measurements have in a row: a part of the model, and a number; or nothing.
static bool read_part(std::string_view name, std::string_view number,
                      std::optional<ModelPart>& part, double& value) {
    if (name.empty()) return number.empty();
    const auto parsed = parse_number(number);
    part = part_named(name), value = parsed.value_or(0);
    return part && parsed;
}

// Adds a row to the history. Returns false if it is no row, or its step lies before the last one.
// A row of an older training ends before carries_part or worst_right.
static bool add_row(ProbeHistory& history, std::string_view row) {
    const std::vector<std::string_view> fields = split(row, ",");
    const bool has_worst = fields.size() >= 12;  // an answer may hold commas
    if ((!has_worst && fields.size() != 9 && fields.size() != 7) || fields[1].empty()) return false;
    const auto step = parse_integer(fields[0]);
    const auto right = parse_number(fields[3]), margin = parse_number(fields[4]);
    const auto kind = probe_kind(fields[2]);
    if (!step || *step < 0 || !right || !margin || !kind) return false;
    auto& evaluations = history.evaluations;
    if (evaluations.empty() || evaluations.back().step < *step) evaluations.push_back({*step, {}});
    if (evaluations.back().step != *step) return false;
    const std::size_t rule =
        std::size_t(std::ranges::find(history.rules, fields[1]) - history.rules.begin());
    if (rule == history.rules.size()) history.rules.emplace_back(fields[1]);
    std::vector<Knowledge>& rules = evaluations.back().rules;
    rules.resize(std::max(rules.size(), rule + 1));
    Knowledge& k = rules[rule];
    (*kind == ProbeKind::seen   ? k.seen
     : *kind == ProbeKind::form ? k.form
                                : k.unseen) = {*right, *margin};
    std::optional<ModelPart> looks, carries;
    double weight = 0, points = 0;
    if (!read_part(fields[5], fields[6], looks, weight) || (looks && !looks->head)) return false;
    if (fields.size() > 7 && !read_part(fields[7], fields[8], carries, points)) return false;
    if (looks) k.head = looks, k.weight = weight;
    if (carries) k.carries = {*carries, points};
    if (has_worst && !fields[9].empty()) {
        const auto found = parse_integer(fields[9]), asked = parse_integer(fields[10]);
        if (!found || !asked) return false;
        const std::size_t text = std::size_t(fields[11].data() - row.data());
        k.worst = OneAnswer{std::string(row.substr(text)), *found, *asked};
    }
    return true;
}

std::string probe_log_rows(const ProbeHistory::Evaluation& e,
                           const std::vector<std::string>& rules) {
    std::string rows;
    for (std::size_t rule = 0; rule < e.rules.size(); ++rule)
        for (std::size_t kind = 0; kind < kProbeKinds.size(); ++kind) {
            const Knowledge& k = e.rules[rule];
            const auto& answered = k.of(ProbeKind(kind));
            if (!answered) continue;
            // what is said of both kinds stands in the row of the new ones, if there are any
            const bool here =
                ProbeKind(kind) == (k.unseen ? ProbeKind::combination : ProbeKind::seen);
            const bool looks = here && k.unseen && k.head;
            rows +=
                std::to_string(e.step) + "," + rules[rule] + "," + std::string(kProbeKinds[kind]) +
                "," + number_text(answered->right) + "," + number_text(answered->margin) + "," +
                (looks ? k.head->name() + "," + number_text(k.weight) : ",") + "," +
                (here && k.carries ? k.carries->part.name() + "," + number_text(k.carries->points)
                                   : ",") +
                "," +
                (here && k.worst
                     ? format("%td,%td,%s", k.worst->right, k.worst->asked, k.worst->text.c_str())
                     : ",,") +
                "\n";
        }
    return rows;
}

std::optional<Index> ProbeHistory::known_since(const std::string& rule) const {
    const std::size_t r = std::size_t(std::ranges::find(rules, rule) - rules.begin());
    std::optional<Index> since;
    for (const Evaluation& e : evaluations) {
        if (!e.of(r).known())
            since.reset();
        else if (!since)
            since = e.step;
    }
    return since;
}

// An older training wrote these.
constexpr std::string_view kColumnsBeforeWorst =
    kProbeLogColumns.substr(0, kProbeLogColumns.find(",worst_right"));

ProbeHistory parse_probe_log(std::string_view csv, const std::string& origin,
                             std::span<const Text> rules) {
    ProbeHistory history;
    for (const Text& rule : rules) history.rules.push_back(rule.chinese);
    for (Index line = 1; !csv.empty(); ++line) {
        const std::size_t end = csv.find('\n');
        const std::string_view row = csv.substr(0, end);
        const bool heading = line == 1;
        const bool fits = heading ? csv.starts_with(kProbeLogColumns) ||
                                        row == "step,rule,kind,right,margin,head,weight" ||
                                        row == kColumnsBeforeWorst
                                  : add_row(history, row);
        if (!fits || end == csv.npos)
            fail({"%s:%td: expected %s, found %s", "%s 第 %td 行：应是%s，却是 %s"},
                 printable(origin), line,
                 heading ? Words{"the names of the columns", "各列的名字"}
                         : Words{"a whole row (step, rule, kind, right, margin, looks_head …)",
                                 "完整的一行（step, rule, kind, right, margin, looks_head …）"},
                 in_quotes(row));
        csv.remove_prefix(end + 1);
    }
    return history;
}

}  // namespace zhuyi
