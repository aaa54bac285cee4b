#include "explain/sheet_compare.h"

#include <algorithm>

#include "base/format.h"

namespace zhuyi {
namespace {

using Side = WorkedComparison::Side;

constexpr std::size_t kHeads = 12;

// "吃了一个苹[果]"
std::string with_mark(const Side& side) {
    std::string text;
    for (std::size_t t = 0; t < side.tokens.size(); ++t)
        text += Index(t) == side.query ? "[" + side.tokens[t] + "]" : side.tokens[t];
    return text;
}

std::string stage_name(const SheetWriter& w, const WorkedComparison::Stage& stage) {
    using StageKind = WorkedComparison::Stage::Kind;
    const std::string block = w.in("block", "块") + format(" %td ", stage.layer);
    switch (stage.kind) {
        case StageKind::token:
            return "E[token]";
        case StageKind::embedding:
            return w.in("+ position", "+ 位置");
        case StageKind::attention:
            return block + w.in("attention", "注意力");
        case StageKind::feed_forward:
            return block + "FFN";
        default:
            return "LayerNorm";
    }
}

std::string looks_text(const Side& side, const std::vector<std::pair<Index, double>>& looks) {
    std::string text;
    for (const auto& [position, weight] : looks)
        text += (text.empty() ? "" : "  ") + side.tokens[std::size_t(position)] +
                format(" %.2f", weight);
    return text;
}

}  // namespace

Sheet compare_sheet(const WorkedComparison& c, Language language) {
    const std::string a = with_mark(c.sides[0]), b = with_mark(c.sides[1]);
    SheetWriter w(language, c.token + " in two contexts", "“" + c.token + "”在两段话里");
    w.section("texts", "The contexts", "两段上下文");
    w.table(
        {"texts",
         "",
         {w.in("position", "位置"), ""},
         {{"A", {format("%td", c.sides[0].query), a}}, {"B", {format("%td", c.sides[1].query), b}}},
         false});

    w.section("stages", "Its two vectors, block by block", "两个向量，一块一块看");
    w.text(
        "Both begin as the same row of E. What parts them is context alone: training has no hand "
        "in it, the weights are the same.",
        "两边都从 E 的同一行出发，权重也完全相同；把它们分开的只有上下文，与训练无关。");
    Sheet::Table stages{
        "stages", "", {w.in("cosine", "余弦"), w.in("distance", "距离")}, {}, false};
    for (const WorkedComparison::Stage& stage : c.stages)
        stages.rows.push_back({stage_name(w, stage), {stage.cosine, stage.distance}});
    w.table(std::move(stages));

    w.section("heads", "The heads that made the difference", "是哪些头造成的差别");
    w.text(
        "‖Δ‖: how different what the head adds (mix_h · W_O[h]) is in A and in B; beside it, where "
        "the head looks.",
        "‖Δ‖：这个头加进去的那一份（mix_h · W_O[h]）在 A、B 之间差多少；旁边是它在看哪里。");
    Sheet::Table heads{"heads",
                       "",
                       {"‖Δ‖", w.in("looks in A", "在 A 里看"), w.in("in B", "在 B 里看")},
                       {},
                       false};
    for (std::size_t i = 0; i < std::min(kHeads, c.heads.size()); ++i) {
        const WorkedComparison::Head& head = c.heads[i];
        heads.rows.push_back({format("%s %td %s %td", w.in("block", "块").c_str(), head.layer,
                                     w.in("head", "头").c_str(), head.head),
                              {head.difference, looks_text(c.sides[0], head.looks[0]),
                               looks_text(c.sides[1], head.looks[1])}});
    }
    w.table(std::move(heads));
    if (c.heads.size() > kHeads)
        w.text(format("%zu of %zu heads.", kHeads, c.heads.size()),
               format("共 %zu 个头，列出前 %zu 个。", c.heads.size(), kHeads));

    w.section("predictions", "What comes next", "各自预测的下一个字");
    Sheet::Table next{"predictions", "", {}, {}, false};
    for (int side : {0, 1}) {
        std::string text;
        for (const WorkedPrediction& p : c.sides[side].predictions)
            text += (text.empty() ? "" : "  ") + p.name + format(" %.3f", p.probability);
        next.rows.push_back({side == 0 ? "A" : "B", {text}});
    }
    w.table(std::move(next));
    return w.finish();
}

}  // namespace zhuyi
