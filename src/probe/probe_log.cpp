#include "probe/probe_log.h"

#include <algorithm>

#include "base/check.h"
#include "base/number.h"
#include "system/input_file.h"
#include "system/printable.h"

namespace zhuyi {
namespace {

constexpr Index kAskedEachTime = 10;  // of each rule and kind
constexpr std::string_view kColumns = "step,rule,kind,right,margin,head,weight\n";

std::string rows_of(const ProbeHistory::Evaluation& e, const std::vector<std::string>& names) {
    std::string rows;
    for (std::size_t rule = 0; rule < e.rules.size(); ++rule)
        for (const ProbeKind kind : {ProbeKind::seen, ProbeKind::unseen}) {
            const Knowledge& k = e.rules[rule];
            const auto& answered = kind == ProbeKind::seen ? k.seen : k.unseen;
            if (!answered) continue;
            const bool looks = kind == ProbeKind::unseen && k.head;
            rows += std::to_string(e.step) + "," + names[rule] + "," + name_of(kind) + "," +
                    number_text(answered->right) + "," + number_text(answered->margin) + "," +
                    (looks ? k.head->name() + "," + number_text(k.weight) : ",") + "\n";
        }
    return rows;
}

std::optional<Head> parse_head(std::string_view text) {
    const std::size_t point = text.find('.');
    if (point == text.npos) return {};
    const auto layer = parse_integer(text.substr(0, point));
    const auto head = parse_integer(text.substr(point + 1));
    if (!layer || !head || *layer < 0 || *head < 0) return {};
    return Head{*layer, *head};
}

// Adds a row to the history. False: it is none, or its step lies before the last one.
bool add_row(ProbeHistory& history, std::string_view row) {
    std::vector<std::string_view> fields;
    for (std::size_t comma = 0; comma != row.npos;
         row.remove_prefix(std::min(comma + 1, row.size()))) {
        comma = row.find(',');
        fields.push_back(row.substr(0, comma));
    }
    if (fields.size() != 7 || fields[1].empty()) return false;
    const auto step = parse_integer(fields[0]);
    const auto right = parse_number(fields[3]), margin = parse_number(fields[4]);
    const bool seen = fields[2] == name_of(ProbeKind::seen);
    if (!step || *step < 0 || !right || !margin ||
        (!seen && fields[2] != name_of(ProbeKind::unseen)))
        return false;
    auto& evaluations = history.evaluations;
    if (evaluations.empty() || evaluations.back().step < *step) evaluations.push_back({*step, {}});
    if (evaluations.back().step != *step) return false;
    const std::size_t rule =
        std::size_t(std::ranges::find(history.rules, fields[1]) - history.rules.begin());
    if (rule == history.rules.size()) history.rules.emplace_back(fields[1]);
    std::vector<Knowledge>& rules = evaluations.back().rules;
    rules.resize(std::max(rules.size(), rule + 1));
    (seen ? rules[rule].seen : rules[rule].unseen) = Answered{*right, *margin};
    if (fields[5].empty()) return fields[6].empty();
    const auto weight = parse_number(fields[6]);
    rules[rule].head = parse_head(fields[5]);
    rules[rule].weight = weight.value_or(0);
    return rules[rule].head && weight;
}

}  // namespace

std::optional<Index> ProbeHistory::known_since(const std::string& rule) const {
    const std::size_t r = std::size_t(std::ranges::find(rules, rule) - rules.begin());
    std::optional<Index> since;
    for (const Evaluation& e : evaluations) {
        const bool known = r < e.rules.size() && e.rules[r].known();
        if (!known)
            since.reset();
        else if (!since)
            since = e.step;
    }
    return since;
}

ProbeHistory parse_probe_log(std::string_view csv, const std::string& origin,
                             std::vector<std::string> rules) {
    ProbeHistory history{std::move(rules), {}};
    for (Index line = 1; !csv.empty(); ++line) {
        const std::size_t end = csv.find('\n');
        const std::string_view row = csv.substr(0, end);
        const bool heading = line == 1;
        const bool fits = heading ? csv.starts_with(kColumns) : add_row(history, row);
        if (!fits || end == csv.npos)
            fail({"%s:%td: expected %s, found %s", "%s 第 %td 行：应是%s，却是 %s"},
                 printable(origin), line,
                 heading ? Words{"the names of the columns", "各列的名字"}
                         : Words{"a whole row (step, rule, kind, right, margin, head, weight)",
                                 "完整的一行（step, rule, kind, right, margin, head, weight）"},
                 in_quotes(row));
        csv.remove_prefix(end + 1);
    }
    return history;
}

ProbeLog::ProbeLog(const std::string& path, Gpt& model, Questions questions, Index steps, Show show)
    : path_(path),
      file_(path),
      model_(model),
      questions_(std::move(questions)),
      part_(part_of(questions_, kAskedEachTime)),
      steps_(steps),
      show_(std::move(show)) {}

void ProbeLog::evaluated(const EvaluationReport& report) {
    const Questions& asked = report.step == steps_ ? questions_ : part_;
    const ProbeHistory::Evaluation now{
        report.step, knowledge(asked, ask(model_, tape_, asked), model_.config())};
    file_.append(rows_of(now, history_.rules));
    show_new(now);
    history_.evaluations.push_back(now);
}

void ProbeLog::show_new(const ProbeHistory::Evaluation& now) const {
    for (std::size_t rule = 0; rule < now.rules.size(); ++rule) {
        const Knowledge& k = now.rules[rule];
        const auto knew = [&](const ProbeHistory::Evaluation& e) {
            return rule < e.rules.size() && e.rules[rule].known();
        };
        if (!k.known() || std::ranges::any_of(history_.evaluations, knew)) continue;
        const Words combinations = k.unseen ? Words{"new combinations", "新组合"}
                                            : Words{"seen combinations", "见过的组合"};
        const Text& name = questions_.rules[rule];
        Text line = say({"step %td, 90 %% for the first time: \"%s\" (%s %.0f %%)",
                         "第 %td 步，首次达到 90 %%：“%s”（%s %.0f %%）"},
                        now.step, Text(printable(name.english), printable(name.chinese)),
                        combinations, 100 * (k.unseen ? k.unseen : k.seen)->right);
        if (k.head)
            line += say({", head %s puts %.2f on what decides", "，头 %s 看起决定作用的字 %.2f"},
                        k.head->name(), k.weight);
        show_(line);
    }
}

void ProbeLog::resume(const std::string& state) {
    file_.cut_back(state);
    history_ = {};
    for (const Text& rule : questions_.rules) history_.rules.push_back(rule.chinese);
    if (state.empty())
        file_.append(kColumns);
    else
        history_ = parse_probe_log(read_file(path_), path_, std::move(history_.rules));
}

}  // namespace zhuyi
