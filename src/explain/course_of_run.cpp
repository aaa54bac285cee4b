// Tables of the course with numbers of the run: its weights, what a text does in it, and where its
// heads look.
#include <algorithm>
#include <cmath>

#include "attention/maps.h"
#include "attention/neighbors.h"
#include "base/format.h"
#include "explain/course.h"
#include "explain/forward.h"
#include "model/gpt.h"
#include "model/parameters.h"
#include "text/tokenizer.h"

namespace zhuyi {
namespace {

// The means over all heads of what a token gives to itself, beside even shares; without the first
// third of the text, which sees too little to choose from.
void diagonal(Sheet& sheet, const CourseRun& run) {
    const AttentionMaps maps = run.maps("小沈阳江西演唱会邀请了，");
    const Index T = maps.length();
    Numbers means, even;
    for (Index t = T / 3; t < T; ++t) {
        double sum = 0;
        for (Index l = 0; l < maps.blocks.count(); ++l)
            for (Index h = 0; h < maps.heads.count(); ++h) sum += double(maps.map(l, h)[t * T + t]);
        means.push_back(sum / double(maps.blocks.size() * maps.heads.size()));
        even.push_back(1 / double(t + 1));
    }
    Sheet::Table& table = sheet.matrix("diagonal");
    table.add({"diagonal", "对角线"}, means);
    table.add({"spread evenly", "平均分配"}, even);
}

void list_heads(Sheet& sheet, const char* key, Label share, const std::vector<CourseHead>& heads) {
    if (heads.empty()) return;
    Sheet::Table& table = sheet.list(key, {{"head", "头"}, share});
    for (const CourseHead& head : heads) table.add(head.name, {head.number(), head.weight});
}

void roles(Sheet& sheet, const CourseRun& run) {
    list_heads(sheet, "roles", {"share", "份额"}, run.roles);
}

void rules(Sheet& sheet, const CourseRun& run) {
    if (run.rules.empty()) return;
    Sheet::Table& table = sheet.list("rules", {{"looks", "关注"},
                                               {"weight", "对依据的注意力"},
                                               {"carries", "起作用"},
                                               {"points lost", "少答对（百分点）"}});
    for (const CourseHead& head : run.rules)
        table.add(
            head.name,
            {head.number(), Sheet::Cell::fixed(head.weight, 2),
             head.carrier.empty() ? Sheet::Cell::none() : Sheet::Cell(head.carrier),
             head.carrier.empty() ? Sheet::Cell::none() : Sheet::Cell::fixed(head.points, 0)});
}

void bank(Sheet& sheet, const CourseRun& run) {
    const AttentionMaps maps = run.maps("我去银行取钱");
    std::vector<CourseHead> heads;
    for (const auto& [asker, answer] :
         {std::pair("钱", "取"), {"钱", "银行"}, {"行", "银"}, {"取", "我"}}) {
        const Index at = std::ranges::find(maps.tokens, asker) - maps.tokens.begin();
        if (at == maps.length()) continue;
        CourseHead head = most_looking(maps, at, answer);
        head.name = std::string(std::string(asker) + " → " + answer);
        if (head.weight >= 0) heads.push_back(head);
    }
    list_heads(sheet, "bank", {"weight", "注意力权重"}, heads);
}

void two_meanings(Sheet& sheet, const CourseRun& run) {
    const std::string texts[] = {"张明从树上摘下一个苹果，他说：“苹果",
                                 "张明买了一百股苹果，他说：“苹果"};
    const Sheet c = compare_sheet(*run.model, run.tokens(texts[0]), run.tokens(texts[1]), -1);
    Sheet::Table& table = sheet.list("next");
    for (int side : {0, 1}) table.add(texts[side], {c.table("predictions").row(side).words()});
}

void by_training(Sheet& sheet, const CourseRun& run) {
    for (const Sheet::Table& table : run.by_training) sheet.sections.back().items.push_back(table);
}

void by_context(Sheet& sheet, const CourseRun& run) {
    const std::string text = "张明喂小";
    const Reading reading = read(*run.model, run.tokens(text), {0, 0, -1});
    Sheet forward;
    write_forward(forward, reading);
    Sheet::Table& table =
        sheet.list("by_context", {"‖Δx‖", {"cosine", "余弦"}, {"nearest", "最近的字"}});
    table.caption = say({"By context: x of %s in %s", "上下文：“%2$s”里“%1$s”的 x"},
                        reading.query_token(), text);
    for (const Sheet::Row& move : forward.table("stack", "moves").rows) {
        const std::string& nearest = move.words(4);  // "江 0.93  小 0.41"
        table.add(move.label,
                  {move.number(0), move.number(2), nearest.substr(0, nearest.find("  "))});
    }
}

// How much a unit of an FFN fires, and where: "…演唱会[邀]".
using Firing = std::pair<double, std::string>;

std::string up_to(const WorkedText& text, Index t) {
    std::string words = t > 3 ? "…" : "";
    for (Index s = std::max<Index>(t - 3, 0); s < t; ++s) words += text.tokens[s];
    return words + "[" + text.tokens[t] + "]";
}

// (F, texts): of each unit of the last block its largest activation in each text, falling.
List<List<Firing>> firings(const CourseRun& run) {
    static constexpr const char* kTexts[] = {"李华看见张明，他笑了",
                                             "小猫吃鱼",
                                             "小羊吃青草",
                                             "张明去银行取钱",
                                             "从树上摘下一个苹果",
                                             "苹果股价上涨",
                                             "小沈阳江西演唱会邀请了",
                                             "三个包子加一个包子是四个"};
    const GptConfig& config = run.model->model.config();
    List<List<Firing>> units(std::size_t(config.width()));
    for (const char* sentence : kTexts) {
        const std::vector<Token> ids = run.tokens(sentence);
        const WorkedText text(*run.model, ids, {});
        WorkedPass pass;
        record(pass, *run.model, ids);
        const Grid gelu = pass.values(block_name(config.layers - 1, "ffn.gelu"));
        for (Index unit = 0; unit < config.width(); ++unit) {
            Firing best;
            for (Index t = 0; t < text.length(); ++t)
                if (gelu.at(t, unit) > best.first) best = {gelu.at(t, unit), up_to(text, t)};
            if (best.first > 0) units[unit].push_back(best);
        }
    }
    for (auto& unit : units) std::ranges::stable_sort(unit, std::ranges::greater(), &Firing::first);
    return units;
}

// The four units of the last FFN that fire most.
void memory(Sheet& sheet, const CourseRun& run) {
    const List<List<Firing>> units = firings(run);
    Numbers most;
    for (const List<Firing>& unit : units) most.push_back(unit.empty() ? 0 : unit[0].first);
    Sheet::Table& table =
        sheet.list("memory", {{"fires at", "在这里激活"},
                              {"also at", "也在这里"},
                              {"adds (nearest of E)", "加上的方向（E 里最近的）"}});
    const Index last = run.model->model.config().layers - 1;
    const Grid W_2 = run.model->value(block_name(last, "ffn.W_2"));
    for (const Index each : by_size(most, 4)) {
        const List<Firing>& unit = units[each];
        const auto place = [&](Index k) {
            return k < unit.count() ? unit[k].second + format(" %.2f", unit[k].first) : "";
        };
        const std::string adds =
            joined(nearest_rows(*run.model, W_2.row(each), 4), " ",
                   [&](const Neighbour& n) { return run.model->tokenizer.name(n.token); });
        table.add(say({"unit %td", "神经元 %td"}, each), {place(0), place(1), adds});
    }
}

Grid sines(Index channels) {  // Vaswani et al. 2017
    Grid P(12, channels);
    for (Index t = 0; t < P.rows; ++t)
        for (Index c = 0; c < channels; ++c) {
            const double angle =
                double(t) / std::pow(10000.0, double(c / 2 * 2) / double(channels));
            P.at(t, c) = c % 2 ? std::cos(angle) : std::sin(angle);
        }
    return P;
}

// P as a picture, or where none is learned the sines: positions 0 to 11, up to 48 channels each, a
// shade a number.
void positions(Sheet& sheet, const CourseRun& run) {
    static constexpr const char* kShades[] = {" ", "░", "▒", "▓", "█"};
    const bool learned = run.model->model.config().position == Position::learned;
    const Grid P = learned ? Grid(run.model->model.positions()) : sines(48);
    double most = 1e-30;
    for (const double x : P.values) most = std::max(most, std::abs(x));
    for (Index t = 0; t < std::min<Index>(P.rows, 12); ++t) {
        std::string line = format("P[%2td]  ", t);
        for (const double x : P.row(t).first(std::size_t(std::min<Index>(P.columns, 48))))
            line += kShades[std::clamp<Index>(Index((x / most + 1) / 2 * 5), 0, 4)];
        sheet.formula(line);
    }
}

// Some singular values of W_V · W_O, around d_k and the last.
void spectrum(Sheet& sheet, const CourseRun& run) {
    const Index D = run.model->model.config().head_size(), C = run.model->model.config().channels;
    const Index places[] = {0, 1, D / 2, D - 1, D, C - 1};
    Labels names;
    for (const Index p : places) names.push_back(std::to_string(p + 1));
    Sheet::Table& table =
        sheet.matrix("spectrum", {"number of the singular value", "第几个奇异值"}, names);
    for (const bool all_heads : {false, true}) {
        const Numbers all = singular_values(run, all_heads);
        Numbers row;
        for (const Index p : places) row.push_back(p < all.count() ? all[p] : 0);
        table.add(all_heads ? say({"all heads", "所有头"}) : say({"one head", "一个头"}), row);
    }
}

// The weight that the asker gives to all tokens of the answer together, in one head; -1 if none of
// them stands before it.
double weight_on(const AttentionMaps& maps, Index block, Index head, Index asker,
                 const std::string& answer) {
    const View<const Real> map = maps.map(block, head);
    double sum = -1;
    for (Index s = 0; s <= asker; ++s)
        if (answer.find(maps.tokens[s]) != answer.npos)
            sum = std::max(sum, 0.0) + double(map[asker * maps.length() + s]);
    return sum;
}

}  // namespace

std::string CourseHead::number() const { return format("%td.%td", block, head); }

const CourseHead* CourseRun::head(std::string_view key) const {
    for (const auto* heads : {&roles, &rules})
        for (const CourseHead& head : *heads)
            if (head.key == key) return &head;
    return nullptr;
}

std::vector<Token> CourseRun::tokens(const std::string& text) const {
    std::vector<Token> ids = model->tokenizer.encode(text);
    const Index more = std::ssize(ids) - model->model.config().context;
    if (more > 0) ids.erase(ids.begin(), ids.begin() + more);
    return ids;
}

AttentionMaps CourseRun::maps(const std::string& text) const {
    return attention_maps(model->model, model->tokenizer, tokens(text));
}

CourseHead most_looking(const AttentionMaps& maps, Index asker, const std::string& answer) {
    CourseHead best;
    for (Index l = 0; l < maps.blocks.count(); ++l)
        for (Index h = 0; h < maps.heads.count(); ++h) {
            const double weight = weight_on(maps, l, h, asker, answer);
            if (weight > best.weight) best.block = l, best.head = h, best.weight = weight;
        }
    return best;
}

Numbers singular_values(const CourseRun& run, bool all_heads) {
    const GptConfig& config = run.model->model.config();
    const Index layer = config.layers - 1;
    const Index width = all_heads ? config.channels : config.head_size();
    const Grid product =
        times(columns_of(run.model->value(block_name(layer, "attention.W_V")), 0, width),
              rows_of(run.model->value(block_name(layer, "attention.W_O")), 0, width));
    Numbers sizes;
    for (const Direction& d : directions(product, product)) sizes.push_back(d.size);
    return sizes;
}

const CourseSheets& course_sheets_of_run() {
    static const CourseSheets kSheets = {{"positions", positions},
                                         {"memory", memory},
                                         {"spectrum", spectrum},
                                         {"by_training", by_training},
                                         {"by_context", by_context},
                                         {"diagonal", diagonal},
                                         {"roles", roles},
                                         {"rules", rules},
                                         {"two_meanings", two_meanings},
                                         {"bank", bank}};
    return kSheets;
}

}  // namespace zhuyi
