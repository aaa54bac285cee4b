// What a model knows of each rule, now and at each evaluation of its training: the share of probes
// that it answers right, how clearly it answers, which head looks at what decides the answer, and
// which part of the model the rule cannot do without. To look (关注) and to carry (起作用) are two
// measurements: a head can put all its weight on what decides, and nothing is lost without it.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/language.h"
#include "base/real.h"
#include "probe/ask.h"

namespace zhuyi {

struct Sheet;

struct Answered {
    double right;   // share, 0 to 1
    double margin;  // nats, the mean
};

// A part that a rule needs, and how many percentage points of right answers are lost without it.
struct Carrier {
    ModelPart part;
    double points;
    bool operator==(const Carrier&) const = default;
};

// Of one right answer, over the seen and the new probes that have it; or of all those together that
// are asked less often than kAskedAlone times.
struct OneAnswer {
    std::string text;  // empty: of several answers
    Index right = 0, asked = 0;

    std::string said() const;  // "两 0/12"
};

// A rule is known if these shares of its probes are answered right: of the seen ones and of the new
// ones, and of each answer. A good mean can hide an answer that is always wrong.
constexpr double kKnown = 0.9, kAnswerKnown = 0.75;
constexpr Index kAskedAlone = 12;  // an answer asked less often says little by itself

struct Knowledge {                               // of one rule
    std::optional<Answered> seen, unseen, form;  // nothing if no such probe was asked
    // Looks: the head with the largest mean weight on the answerer, over the new probes.
    std::optional<ModelPart> head;
    double weight = 0;
    std::optional<Carrier> carries{};  // nothing if it was not measured, or no part alone matters
    // The answer with the smallest share right; of equal ones the one asked most often. Nothing if
    // every probe was answered right, or if no answer was asked kAskedAlone times.
    std::optional<OneAnswer> worst{};

    bool known() const;
    const std::optional<Answered>& of(ProbeKind kind) const {
        return kind == ProbeKind::seen ? seen : kind == ProbeKind::form ? form : unseen;
    }
};

// Returns what is known of each of questions.rules, in their order.
std::vector<Knowledge> knowledge(const Questions& questions, const Answers& answers,
                                 const GptConfig& config);

// Of each rule the part whose replacement costs most, seen and new probes together; of parts that
// cost as many points the one that costs most margin.
void add_carriers(std::vector<Knowledge>& knowledge, const Ablation& ablation);

// A training measures what carries a rule with so many probes of each rule and kind; so does
// `zhuyi probe`, which then says the same.
constexpr Index kCarriersAsked = 10;

// ---- probes.csv

//     step, rule, kind    kind: seen, new or form
//     right               share of the probes answered right
//     margin              nats, the mean
//     looks_head, looks_weight        of the new probes (Knowledge::head); empty if none is known
//     carries_part, carries_points    in the same row, at the last evaluation (Knowledge::carries)
//     worst_right, worst_asked, worst_answer    in the same row (Knowledge::worst)
struct ProbeHistory {
    struct Evaluation {
        Index step;
        std::vector<Knowledge> rules;  // as long as the list of names, or shorter

        // What was known of a rule; nothing, if it was not asked.
        Knowledge of(std::size_t rule) const {
            return rule < rules.size() ? rules[rule] : Knowledge{};
        }
    };
    std::vector<std::string> rules;  // names as in the probe file
    std::vector<Evaluation> evaluations;

    // Returns the first evaluation from which on the rule was always known, or nothing if it is not
    // known now.
    std::optional<Index> known_since(const std::string& rule) const;
};

// Throws Error, with the line, if a line is no row or the steps do not rise. The names of
// the history begin with `rules`, in this order.
ProbeHistory parse_probe_log(std::string_view csv, const std::string& origin,
                             std::span<const Text> rules = {});

// Returns the rows of an evaluation of these rules.
std::string probe_log_rows(const ProbeHistory::Evaluation& evaluation,
                           const std::vector<std::string>& rules);
inline constexpr std::string_view kProbeLogColumns =
    "step,rule,kind,right,margin,looks_head,looks_weight,carries_part,carries_points,"
    "worst_right,worst_asked,worst_answer\n";

// ---- as sheets

// Adds the table "rules", a row for each rule: "rule" (its Chinese name), "seen.right",
// "new.margin" … . `history` says since when each rule is known; without it the table does not say.
void add_rules(Sheet& sheet, std::span<const Text> rules, const std::vector<Knowledge>& knowledge,
               const ProbeHistory* history);

// Returns a whole training: a row for each rule, a column for each evaluation, per cent right.
// Programs read "steps", each with its "rules".
Sheet history_sheet(std::span<const Text> rules, const ProbeHistory& history);

// Adds what each rule loses without each head and FFN: a table of blocks and heads for each rule.
// Programs find "heads.mean.RULE", [L][H] percentage points, "ffn.mean.RULE", [L], and the same in
// nats below "margin"; without by_mean "zero" in place of "mean".
void add_ablation(Sheet& sheet, std::span<const Text> rules, const Ablation& ablation,
                  bool by_mean);

}  // namespace zhuyi
