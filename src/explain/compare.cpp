#include "explain/compare.h"

#include <algorithm>

#include "base/check.h"
#include "base/format.h"
#include "model/gpt.h"

namespace zhuyi {
namespace {

using Side = WorkedComparison::Side;
using StageKind = WorkedComparison::Stage::Kind;

constexpr Index kComparedPredictions = 5;
constexpr std::size_t kLooks = 3, kHeads = 12;

struct Reading {
    WorkedText text;
    WorkedPass pass{};

    Index query() const { return text.focus.query; }
    Numbers row(const std::string& name) const { return pass.values(name).row_copy(query()); }
};

std::vector<std::pair<Index, double>> looks(const Reading& reading, Index block, Index head) {
    const Numbers weights = reading.pass.values(block_name(block, "attention.weights"))
                                .row_copy(head * reading.text.length() + reading.query());
    std::vector<std::pair<Index, double>> all;
    for (Index s = 0; s <= reading.query(); ++s) all.emplace_back(s, weights[std::size_t(s)]);
    std::ranges::stable_sort(all, std::ranges::greater(), &std::pair<Index, double>::second);
    all.resize(std::min(all.size(), kLooks));
    return all;
}

bool holds(std::span<const Token> text, Token token) {
    return std::ranges::find(text, token) != text.end();
}

// The last position of `first` whose token `second` holds; -1: there is none.
Index last_shared(std::span<const Token> first, std::span<const Token> second) {
    for (Index t = std::ssize(first); t-- > 0;)
        if (holds(second, first[std::size_t(t)])) return t;
    return -1;
}

void find_difference(WorkedComparison& c, const WorkedText& a, const WorkedText& b) {
    const auto apart = std::ranges::mismatch(a.ids, b.ids);
    const Index agree = apart.in1 - a.ids.begin();
    c.same_so_far = a.focus.query == b.focus.query && agree > a.focus.query;
    if (!c.same_so_far) return;
    const Index last = last_shared(std::span(apart.in1, a.ids.end()), {apart.in2, b.ids.end()});
    if (last >= 0) c.later = agree + last;
}

}  // namespace

WorkedComparison worked_comparison(const WorkedModel& model, std::span<const Token> first,
                                   std::span<const Token> second, Index query) {
    const GptConfig& config = model.model.config();
    if (query == -1) query = last_shared(first, second);
    const WorkedText text(model, first, {0, 0, query});
    const auto last =
        std::find(second.rbegin(), second.rend(), first[std::size_t(text.focus.query)]);
    if (last == second.rend())
        fail_usage({"--compare: the text must hold %s, which stands at position %td of --text "
                    "(--query chooses another character)",
                    "--compare：这段文字里要有“%s”，它在 --text 的位置 %td（用 --query 选别的字）"},
                   text.query_token(), text.focus.query);
    Reading readings[2] = {{text}, {{model, second, {0, 0, second.rend() - last - 1}}}};
    WorkedComparison c;
    c.token = text.query_token();
    find_difference(c, readings[0].text, readings[1].text);
    for (int side : {0, 1}) {
        Reading& reading = readings[side];
        record(reading.pass, model, reading.text.ids);
        c.sides[side] = {reading.text.tokens, reading.query(),
                         likeliest(model, reading.row("logits"), kComparedPredictions)};
    }

    const auto stage = [&](StageKind kind, Index block, const std::string& tensor) {
        const Numbers a = readings[0].row(tensor), b = readings[1].row(tensor);
        c.stages.push_back({kind, block, cosine(a, b), distance(a, b)});
    };
    c.stages.push_back({StageKind::token, -1, 1, 0});  // the same row of the same table
    if (encoding_of(config.position).added) stage(StageKind::embedding, -1, "embedding");
    for (Index block = 0; block < config.layers; ++block) {
        stage(StageKind::attention, block, block_name(block, "residual.1"));
        stage(StageKind::feed_forward, block, block_name(block, "residual.2"));
        const Grid parts[2] = {head_parts(model, readings[0].pass, block, readings[0].query()),
                               head_parts(model, readings[1].pass, block, readings[1].query())};
        for (Index head = 0; head < config.heads; ++head)
            c.heads.push_back({block,
                               head,
                               distance(parts[0].row(head), parts[1].row(head)),
                               {looks(readings[0], block, head), looks(readings[1], block, head)}});
    }
    stage(StageKind::final_norm, -1, "final_norm");
    std::ranges::stable_sort(c.heads, std::ranges::greater(), &WorkedComparison::Head::difference);
    return c;
}

// ---- the sheet

namespace {

// "吃了一个苹[果]"
std::string with_mark(const Side& side) {
    std::string text;
    for (std::size_t t = 0; t < side.tokens.size(); ++t)
        text += Index(t) == side.query ? "[" + side.tokens[t] + "]" : side.tokens[t];
    return text;
}

Label stage_name(const WorkedComparison::Stage& stage) {
    switch (stage.kind) {
        case StageKind::token:
            return "E[token]";
        case StageKind::embedding:
            return {"+ position", "+ 位置"};
        case StageKind::attention:
            return say({"block %td attention", "第 %td 层注意力"}, stage.block);
        case StageKind::feed_forward:
            return say({"block %td FFN", "第 %td 层 FFN"}, stage.block);
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

void write_texts(Sheet& sheet, const WorkedComparison& c) {
    sheet.section("texts", {"The contexts", "两段上下文"});
    Sheet::Table& table = sheet.list("texts", {{"position", "位置"}, ""});
    for (int side : {0, 1})
        table.add(side == 0 ? "A" : "B",
                  {std::to_string(c.sides[side].query), with_mark(c.sides[side])});
}

void write_stages(Sheet& sheet, const WorkedComparison& c) {
    sheet.section("stages", {"Its two vectors, block by block", "两个向量，逐层来看"});
    if (c.stages.size() > 1 && c.stages[1].kind == StageKind::embedding)
        sheet.text({"Both begin as the same row of E. What parts them is the position (cosine %.4f "
                    "with it) and then what comes before: the weights are the same.",
                    "两边都从 E 的同一行出发。使它们不同的先是位置（加上位置编码后，余弦 %.4f），"
                    "再是上文；这里权重没有变。"},
                   c.stages[1].cosine);
    else
        sheet.text(
            {"Both begin as the same row of E. What parts them is what comes before, and how "
             "far away it is: the weights are the same.",
             "两边都从 E 的同一行出发。使它们不同的只有上文，以及上文离它多远；这里权重没有变。"});
    Sheet::Table& table = sheet.list("stages", {{"cosine", "余弦"}, {"distance", "距离"}});
    for (const WorkedComparison::Stage& stage : c.stages)
        table.add(stage_name(stage), {stage.cosine, stage.distance});
}

void write_heads(Sheet& sheet, const WorkedComparison& c) {
    sheet.section("heads", {"How the heads differ", "各头的差别"});
    sheet.text(
        {"‖Δ‖: how different what the head adds to x (mix_h · W_O[h]) is in A and in B; "
         "beside it, where the head looks.",
         "‖Δ‖：这个头加到 x 上的部分（mix_h · W_O[h]）在 A、B 之间差多少；旁边是它在看哪里。"});
    Sheet::Table& table =
        sheet.list("heads", {"‖Δ‖", {"looks in A", "在 A 里看"}, {"in B", "在 B 里看"}});
    for (std::size_t i = 0; i < std::min(kHeads, c.heads.size()); ++i) {
        const WorkedComparison::Head& head = c.heads[i];
        table.add(say({"block %td head %td", "第 %td 层 头 %td"}, head.block, head.head),
                  {head.difference, looks_text(c.sides[0], head.looks[0]),
                   looks_text(c.sides[1], head.looks[1])});
    }
    if (c.heads.size() > kHeads)
        sheet.text({"%1$zu of %2$zu heads.", "共 %2$zu 个头，列出前 %1$zu 个。"}, kHeads,
                   c.heads.size());
}

void write_predictions(Sheet& sheet, const WorkedComparison& c) {
    sheet.section("predictions", {"What comes next", "各自预测的下一个字"});
    Sheet::Table& table = sheet.list("predictions");
    for (int side : {0, 1}) {
        std::string text;
        for (const WorkedPrediction& p : c.sides[side].predictions)
            text += (text.empty() ? "" : "  ") + p.name + format(" %.3f", p.probability);
        table.add(side == 0 ? "A" : "B", {text});
    }
}

std::string joined(const std::vector<std::string>& tokens, Index from, Index to) {
    std::string text;
    for (Index t = from; t < to; ++t) text += tokens[std::size_t(t)];
    return text;
}

// Both texts are the same up to the character: why nothing can differ, and what to ask instead.
void write_same(Sheet& sheet, const WorkedComparison& c) {
    sheet.section("same", {"A decoder cannot tell them apart here", "解码器在这里分不出两段话"});
    const std::vector<std::string>&a = c.sides[0].tokens, &b = c.sides[1].tokens;
    const Index end = c.sides[0].query + 1;
    Index agree = end;
    while (agree < std::min(std::ssize(a), std::ssize(b)) &&
           a[std::size_t(agree)] == b[std::size_t(agree)])
        ++agree;
    sheet.text(
        {"Up to %1$s both texts read %2$s. A GPT sees a position and what stands before it, "
         "nothing after it: every vector, every attention weight and every prediction here is "
         "the same in both, bit for bit. That is no lack of training: the causal mask makes "
         "it so.",
         "到“%1$s”为止，两段文字都是“%2$s”。GPT "
         "只看得到自己和前面的字，看不到后面：这里的每个向量、"
         "每个注意力权重、每个预测，在两段话里逐位相同。这不是训练得不够，而是因果掩码决定的。"},
        c.token, joined(a, 0, end));
    if (agree == std::ssize(a) && agree == std::ssize(b)) return;
    const std::string rest_a = joined(a, agree, std::ssize(a));
    const std::string rest_b = joined(b, agree, std::ssize(b));
    if (c.later)
        sheet.text({"They differ from position %td on. Ask for a character after that: --query %td "
                    "(%s).",
                    "差别从位置 %td 开始。可以看差别之后的字：--query %td（“%s”）。"},
                   agree, *c.later, a[std::size_t(*c.later)]);
    sheet.text({"Or put what differs in front of %1$s, where it can be seen:",
                "或者把不同的部分放到“%1$s”的前面，让它看得到："},
               c.token);
    const std::string common = joined(a, 0, agree);
    sheet.formula("--text " + rest_a + common + "  --compare " + rest_b + common);
    if (c.token == "果") sheet.formula("--text 摘下一个苹果  --compare 一百股苹果");
}

}  // namespace

Sheet compare_sheet(const WorkedComparison& c) {
    Sheet sheet{say({"%s in two contexts", "“%s”在两段话里"}, c.token)};
    write_texts(sheet, c);
    if (c.same_so_far) {
        write_same(sheet, c);
        write_predictions(sheet, c);
        return sheet;
    }
    write_stages(sheet, c);
    write_heads(sheet, c);
    write_predictions(sheet, c);
    return sheet;
}

}  // namespace zhuyi
