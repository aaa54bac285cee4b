#include "probe/knowledge_sheet.h"

#include <cmath>

#include "base/format.h"
#include "system/printable.h"
#include "system/table.h"

namespace zhuyi {
namespace {

constexpr const char* kNone = "–";

std::string percent(const std::optional<Answered>& answered) {
    return answered ? format("%.0f", 100 * answered->right) : kNone;
}
std::string margin(const std::optional<Answered>& answered) {
    return answered ? format("%.2f", answered->margin) : kNone;
}
// To whole numbers or to tenths; no -0.
std::string rounded(double x, double parts) {
    return format("%.*f", parts > 1, std::round(x * parts) / parts + 0.0);
}
Text shown(const Text& rule) { return {printable(rule.english), printable(rule.chinese)}; }

Json json(const std::optional<Answered>& answered) {
    if (!answered) return {};
    return Json().set("right", answered->right).set("margin", answered->margin);
}

// The evaluation's knowledge of a rule; of one that was not asked: nothing is known.
Knowledge of_rule(const ProbeHistory::Evaluation& e, std::size_t rule) {
    return rule < e.rules.size() ? e.rules[rule] : Knowledge{};
}

}  // namespace

Text knowledge_text(std::span<const Text> rules, const std::vector<Knowledge>& knowledge,
                    const ProbeHistory* history) {
    Table table("lrrrrrrl");
    table.row({Words{"rule", "规则"}, Words{"seen %", "见过 %"}, Words{"margin", "差距"},
               Words{"new %", "新组合 %"}, Words{"margin", "差距"}, Words{"head", "头"},
               Words{"weight", "依据权重"}, history ? Words{"known since", "学会于"} : Words{}});
    for (std::size_t r = 0; r < rules.size(); ++r) {
        const Knowledge& k = knowledge[r];
        Text since;
        if (history) {
            const std::optional<Index> step = history->known_since(rules[r].chinese);
            since = step ? say({"step %td", "第 %td 步"}, *step) : same(kNone);
        }
        table.row({shown(rules[r]), percent(k.seen), margin(k.seen), percent(k.unseen),
                   margin(k.unseen), k.head ? k.head->name() : kNone,
                   k.head ? format("%.2f", k.weight) : kNone, since});
    }
    return table.text();
}

Json knowledge_json(std::span<const Text> rules, const std::vector<Knowledge>& knowledge,
                    const ProbeHistory* history) {
    Json all(Json::Array{});
    for (std::size_t r = 0; r < rules.size(); ++r) {
        const Knowledge& k = knowledge[r];
        Json head, weight, since;
        if (k.head) head.push(k.head->block).push(k.head->head), weight = k.weight;
        if (const auto step = history ? history->known_since(rules[r].chinese) : std::nullopt)
            since = *step;
        all.push(Json()
                     .set("rule", rules[r].chinese)
                     .set("seen", json(k.seen))
                     .set("new", json(k.unseen))
                     .set("head", head)
                     .set("weight", weight)
                     .set("known_since", since));
    }
    return all;
}

Text history_text(std::span<const Text> rules, const ProbeHistory& history) {
    Text text;
    for (const ProbeKind kind : {ProbeKind::seen, ProbeKind::unseen}) {
        Table table("l" + std::string(history.evaluations.size(), 'r'));
        std::vector<Table::Cell> row{kind == ProbeKind::seen ? Words{"seen %", "见过 %"}
                                                             : Words{"new %", "新组合 %"}};
        for (const auto& e : history.evaluations) row.emplace_back(std::to_string(e.step));
        table.row(row);
        for (std::size_t r = 0; r < rules.size(); ++r) {
            row = {shown(rules[r])};
            for (const auto& e : history.evaluations) {
                const Knowledge k = of_rule(e, r);
                row.emplace_back(percent(kind == ProbeKind::seen ? k.seen : k.unseen));
            }
            table.row(row);
        }
        if (!text.empty()) text += same("\n");
        text += table.text();
    }
    return text;
}

Json history_json(std::span<const Text> rules, const ProbeHistory& history) {
    Json steps(Json::Array{});
    for (const auto& e : history.evaluations) {
        std::vector<Knowledge> knowledge;
        for (std::size_t r = 0; r < rules.size(); ++r) knowledge.push_back(of_rule(e, r));
        steps.push(
            Json().set("step", e.step).set("rules", knowledge_json(rules, knowledge, &history)));
    }
    return steps;
}

Text ablation_text(std::span<const Text> rules, const Ablation& ablation) {
    Text text = Words{
        "percentage points of right answers lost without a head or an FFN (nats of margin lost)\n",
        "去掉一个头或一层的 FFN 后，答对率下降多少个百分点（括号里是差距少了多少奈特）\n"};
    for (std::size_t r = 0; r < rules.size(); ++r) {
        Table table("l" + std::string(std::size_t(ablation.heads + 1), 'r'), 4);
        std::vector<Table::Cell> row{Words{}};
        for (Index h = 0; h < ablation.heads; ++h) row.push_back(say({"head %td", "头 %td"}, h));
        row.emplace_back(std::string("FFN"));
        table.row(row);
        for (Index l = 0; l < ablation.layers; ++l) {
            row = {say({"block %td", "第 %td 层"}, l)};
            for (Index h = 0; h <= ablation.heads; ++h) {
                const Lost& loss = ablation.of(r, l, h);
                row.emplace_back(rounded(loss.points, 1) + " (" + rounded(loss.margin, 10) + ")");
            }
            table.row(row);
        }
        text += same("\n  ") + shown(rules[r]) + same("\n") + table.text();
    }
    return text;
}

AblationJson ablation_json(std::span<const Text> rules, const Ablation& ablation,
                           double Lost::*measure) {
    AblationJson json{Json(Json::Object{}), Json(Json::Object{})};
    for (std::size_t r = 0; r < rules.size(); ++r) {
        Json heads, ffn;
        for (Index l = 0; l < ablation.layers; ++l) {
            Json of_block;
            for (Index h = 0; h < ablation.heads; ++h) of_block.push(ablation.of(r, l, h).*measure);
            heads.push(of_block);
            ffn.push(ablation.of(r, l, ablation.heads).*measure);
        }
        json.heads.set(rules[r].chinese, heads);
        json.ffn.set(rules[r].chinese, ffn);
    }
    return json;
}

}  // namespace zhuyi
