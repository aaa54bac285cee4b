#include "probe/knowledge.h"

#include <array>
#include <cmath>

#include "base/format.h"
#include "formats/sheet.h"
#include "system/printable.h"

namespace zhuyi {
static Cell percent(const std::optional<Answered>& answered) {
    return answered ? Cell(answered->right, format("%.0f", 100 * answered->right)) : Cell::none();
}
static Cell margin(const std::optional<Answered>& answered) {
    return answered ? Cell::fixed(answered->margin, 2) : Cell::none();
}
// "7" with parts = 1, "0.4" with parts = 10; never "-0".
static std::string rounded(double x, double parts) {
    return format("%.*f", parts > 1, std::round(x * parts) / parts + 0.0);
}
static std::string shown(const Text& rule) { return printable(say(rule)); }

static Sheet::Table& rules_table(Sheet& sheet, const std::string& key,
                                 const ProbeHistory* history) {
    return sheet.records(
        key, {Sheet::unseen("rule"),
              {"", {"rule", "规则"}},
              {"seen.right", {"seen %", "见过 %"}},
              {"seen.margin", {"margin", "对错之差"}},
              {"new.right", {"new %", "新组合 %"}},
              {"new.margin", {"margin", "对错之差"}},
              {"form.right", {"new form %", "新句式 %"}},
              Sheet::unseen("form.margin"),
              {"", {"worst answer", "最差的答案"}},
              Sheet::unseen("worst.answer"),
              Sheet::unseen("worst.right"),
              Sheet::unseen("worst.asked"),
              {"", {"looks", "关注"}},
              Sheet::unseen("looks.head[0]"),
              Sheet::unseen("looks.head[1]"),
              {"looks.weight", {"weight", "权重"}},
              {"carries.part", {"carries", "起作用"}},
              {"carries.points", {"points lost", "少答对（百分点）"}},
              {"known_since", history ? Label{"known since", "首次达到 90 %"} : Label{}}});
}

static std::vector<Cell> cells_of(const Text& rule, const Knowledge& k,
                                  const ProbeHistory* history) {
    std::vector<Cell> cells{rule.chinese,      shown(rule),      percent(k.seen), margin(k.seen),
                            percent(k.unseen), margin(k.unseen), percent(k.form), margin(k.form)};
    if (k.worst)
        cells.insert(cells.end(), {k.worst->said(), k.worst->text, double(k.worst->right),
                                   double(k.worst->asked)});
    else
        cells.insert(cells.end(), {Cell::none(), {}, {}, {}});
    if (k.head)
        cells.insert(cells.end(), {k.head->name(), double(k.head->block), double(*k.head->head),
                                   Cell::fixed(k.weight, 2)});
    else
        cells.insert(cells.end(), {Cell::none(), {}, {}, Cell::none()});
    cells.push_back(k.carries ? Cell(k.carries->part.name()) : Cell::none());
    cells.push_back(k.carries ? Cell(k.carries->points, rounded(k.carries->points, 1))
                              : Cell::none());
    const auto step = history ? history->known_since(rule.chinese) : std::nullopt;
    cells.push_back(step ? Cell(double(*step)) : history ? Cell::none() : Cell());
    if (step) cells.back().text = say({"step %td", "第 %td 步"}, *step);
    return cells;
}

// "heads" and "ffn" of `json`: by what replaced them, by rule.
static void set_losses(Json& json, std::span<const Text> rules, const Ablation& ablation,
                       const char* by, double Lost::*measure) {
    for (std::size_t r = 0; r < rules.size(); ++r) {
        Json heads, ffn;
        for (Index l = 0; l < ablation.layers; ++l) {
            Json of_block;
            for (Index h = 0; h < ablation.heads; ++h) of_block.push(ablation.of(r, l, h).*measure);
            heads.push(of_block);
            ffn.push(ablation.of(r, l, ablation.heads).*measure);
        }
        json.at_path("heads").at_path(by).set(rules[r].chinese, heads);
        json.at_path("ffn").at_path(by).set(rules[r].chinese, ffn);
    }
}

// For programs: a row for each rule and part.
static void add_losses(Sheet& sheet, std::span<const Text> rules, const Ablation& ablation,
                       const char* by) {
    set_losses(sheet.for_programs, rules, ablation, by, &Lost::points);
    set_losses(sheet.for_programs.at_path("margin"), rules, ablation, by, &Lost::margin);
    Sheet::Table& table = sheet.records(
        "lost", {{"rule"}, {"block"}, {"head"}, {"replaced_by"}, {"points"}, {"margin"}});
    table.reader = Sheet::Reader::program;
    for (std::size_t r = 0; r < rules.size(); ++r)
        for (Index l = 0; l < ablation.layers; ++l)
            for (Index h = 0; h <= ablation.heads; ++h) {
                const Lost& lost = ablation.of(r, l, h);
                table.record({rules[r].chinese, double(l),
                              h < ablation.heads ? Cell(double(h)) : Cell("ffn"), by, lost.points,
                              lost.margin});
            }
}

void add_rules(Sheet& sheet, std::span<const Text> rules, const std::vector<Knowledge>& knowledge,
               const ProbeHistory* history) {
    Sheet::Table& table = rules_table(sheet, "rules", history);
    for (std::size_t r = 0; r < rules.size(); ++r)
        table.record(cells_of(rules[r], knowledge[r], history));
}

Sheet history_sheet(std::span<const Text> rules, const ProbeHistory& history) {
    Sheet sheet;
    const std::array<Label, kProbeKinds.size()> headings{
        {{"seen %", "见过 %"}, {"new %", "新组合 %"}, {"new form %", "新句式 %"}}};
    for (std::size_t kind = 0; kind < headings.size(); ++kind) {
        Sheet::Table& table = sheet.records("", {{"", headings[kind]}});
        table.reader = Sheet::Reader::person;
        for (const auto& e : history.evaluations)
            table.fields.push_back({"", std::to_string(e.step)});
        for (std::size_t r = 0; r < rules.size(); ++r) {
            table.record({shown(rules[r])});
            for (const auto& e : history.evaluations) {
                const Knowledge k = e.of(r);
                table.rows.back().cells.push_back(percent(k.of(ProbeKind(kind))));
            }
        }
    }
    Sheet::Table& table = rules_table(sheet, "steps.rules", &history);
    table.reader = Sheet::Reader::program;
    table.fields.insert(table.fields.begin(), {"../step"});
    for (const auto& e : history.evaluations)
        for (std::size_t r = 0; r < rules.size(); ++r) {
            std::vector<Cell> cells = cells_of(rules[r], e.of(r), &history);
            cells.insert(cells.begin(), double(e.step));
            table.record(std::move(cells));
        }
    return sheet;
}

void add_ablation(Sheet& sheet, std::span<const Text> rules, const Ablation& ablation,
                  bool by_mean) {
    sheet.part(
        {"percentage points of right answers lost without a head or an FFN (nats of margin lost)",
         "消融一个头或一层的 FFN 后，答对率下降多少个百分点（括号里是对错之差少了多少奈特）"});
    for (std::size_t r = 0; r < rules.size(); ++r) {
        std::vector<Sheet::Column> columns{{"", shown(rules[r])}};
        for (Index h = 0; h < ablation.heads; ++h)
            columns.push_back({"", say({"head %td", "头 %td"}, h)});
        columns.push_back({"", "FFN"});
        Sheet::Table& table = sheet.records("", columns);
        table.reader = Sheet::Reader::person;
        for (Index l = 0; l < ablation.layers; ++l) {
            table.record({say({"block %td", "第 %td 层"}, l)});
            for (Index h = 0; h <= ablation.heads; ++h) {
                const Lost& lost = ablation.of(r, l, h);
                table.rows.back().cells.emplace_back(
                    lost.points, rounded(lost.points, 1) + " (" + rounded(lost.margin, 10) + ")");
            }
        }
    }
    add_losses(sheet, rules, ablation, by_mean ? "mean" : "zero");
}

}  // namespace zhuyi
