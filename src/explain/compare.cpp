// One character in two contexts, as a sheet: how its two vectors come to differ, block by block,
// and by which heads.
#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/format.h"
#include "explain/forward.h"
#include "model/gpt.h"
#include "text/tokenizer.h"

namespace zhuyi {
namespace {

using Readings = std::array<Reading, 2>;  // A and B

// Returns the last position of `first` whose token `second` holds, or -1 if there is none.
Index last_shared(std::span<const Token> first, std::span<const Token> second) {
    for (Index t = std::ssize(first); t-- > 0;)
        if (std::ranges::count(second, first[std::size_t(t)]) > 0) return t;
    return -1;
}

// Returns how many tokens both texts begin with.
Index agreeing(const Readings& r) {
    return std::ranges::mismatch(r[0].ids, r[1].ids).in1 - r[0].ids.begin();
}

void write_texts(Sheet& sheet, const Readings& readings) {
    sheet.section("texts", {"The contexts", "两段上下文"});
    Sheet::Table& table = sheet.list("texts", {{"position", "位置"}, ""});
    for (const Reading& r : readings)
        table.add(&r == &readings[0] ? "A" : "B", {std::to_string(r.focus.query), r.marked()});
}

// Adds the cosine and the distance of the two vectors.
void add_stage(Sheet::Table& table, Label name, const Readings& r, const std::string& tensor) {
    const Numbers a = r[0].at_query(tensor), b = r[1].at_query(tensor);
    table.add(std::move(name), {cosine(a, b), distance(a, b)});
}

void write_stages(Sheet& sheet, const Readings& r) {
    sheet.section("stages", {"Its two vectors, block by block", "两个向量，逐层来看"});
    const bool added = encoding_of(r[0].config.position).added;
    if (added)
        sheet.text({"Both begin as the same row of E. What parts them is the position (cosine %.4f "
                    "with it) and then what comes before: the weights are the same.",
                    "两边都从 E 的同一行出发。使它们不同的先是位置（加上位置编码后，余弦 %.4f），"
                    "再是上文；这里权重没有变。"},
                   cosine(r[0].at_query("embedding"), r[1].at_query("embedding")));
    else
        sheet.text(
            {"Both begin as the same row of E. What parts them is what comes before, and how "
             "far away it is: the weights are the same.",
             "两边都从 E 的同一行出发。使它们不同的只有上文，以及上文离它多远；这里权重没有变。"});
    Sheet::Table& table = sheet.list("stages", {{"cosine", "余弦"}, {"distance", "距离"}});
    table.add("E[token]", {1.0, 0.0});  // the same row of the same table
    if (added) add_stage(table, {"+ position", "+ 位置"}, r, "embedding");
    for (Index block = 0; block < r[0].config.layers; ++block) {
        add_stage(table, say({"block %td attention", "第 %td 层注意力"}, block), r,
                  block_name(block, "residual.1"));
        add_stage(table, say({"block %td FFN", "第 %td 层 FFN"}, block), r,
                  block_name(block, "residual.2"));
    }
    add_stage(table, "LayerNorm", r, "final_norm");
}

// Returns the positions that a head attends to most: "摘 0.52  下 0.20".
std::string looks(const Reading& r, Index block, Index head) {
    const Grid& weights = r.pass.values(block_name(block, "attention.weights"));
    const auto row = View(weights.row(head * r.length() + r.focus.query));
    return joined(by_size(row.part(0, r.focus.query + 1), 3), "  ",
                  [&](Index s) { return r.tokens[s] + format(" %.2f", row[s]); });
}

void write_heads(Sheet& sheet, const Readings& r) {
    constexpr std::size_t kHeads = 12;
    sheet.section("heads", {"How the heads differ", "各头的差别"});
    sheet.text(
        {"‖Δ‖: how different what the head adds to x (mix_h · W_O[h]) is in A and in B; "
         "beside it, where the head looks.",
         "‖Δ‖：这个头加到 x 上的部分（mix_h · W_O[h]）在 A、B 之间差多少；旁边是它在看哪里。"});
    Sheet::Table& table =
        sheet.list("heads", {"‖Δ‖", {"looks in A", "在 A 里看"}, {"in B", "在 B 里看"}});
    for (Index block = 0; block < r[0].config.layers; ++block) {
        const Grid a = head_parts(r[0].model, r[0].pass, block, r[0].focus.query);
        const Grid b = head_parts(r[1].model, r[1].pass, block, r[1].focus.query);
        for (Index head = 0; head < r[0].config.heads; ++head)
            table.add(say({"block %td head %td", "第 %td 层 头 %td"}, block, head),
                      {distance(a.row(head), b.row(head)), looks(r[0], block, head),
                       looks(r[1], block, head)});
    }
    std::ranges::stable_sort(table.rows, std::ranges::greater(),
                             [](const Sheet::Row& row) { return row.number(); });
    if (table.rows.size() <= kHeads) return;
    sheet.text({"%1$zu of %2$zu heads.", "共 %2$zu 个头，列出前 %1$zu 个。"}, kHeads,
               table.rows.size());
    table.rows.resize(kHeads);
}

void write_predictions(Sheet& sheet, const Readings& readings) {
    sheet.section("predictions", {"What comes next", "各自预测的下一个字"});
    Sheet::Table& table = sheet.list("predictions");
    for (const Reading& r : readings)
        table.add(&r == &readings[0] ? "A" : "B",
                  {likeliest_text(r.model, r.at_query("logits"), 5)});
}

std::string words_between(const Reading& r, Index from, Index to) {
    return joined({r.tokens.begin() + from, r.tokens.begin() + to}, "");
}

// Both texts are the same up to the character: says why nothing can differ, and what to ask
// instead.
void write_same(Sheet& sheet, const Readings& r) {
    const Reading &a = r[0], &b = r[1];
    sheet.section("same", {"A decoder cannot tell them apart here", "解码器在这里分不出两段话"});
    sheet.text(
        {"Up to %1$s both texts read %2$s. A GPT sees a position and what stands before it, "
         "nothing after it: every vector, every attention weight and every prediction here is the "
         "same in both, bit for bit. That is no lack of training: the causal mask makes it so.",
         "到“%1$s”为止，两段文字都是“%2$s”。GPT "
         "只看得到自己和前面的字，看不到后面：这里的每个向量、"
         "每个注意力权重、每个预测，在两段话里逐位相同。这不是训练得不够，而是因果掩码决定的。"},
        a.query_token(), words_between(a, 0, a.focus.query + 1));
    const Index agree = agreeing(r);
    if (agree == a.length() && agree == b.length()) return;
    const Index later =  // a position after the difference that could be asked for
        last_shared(std::span(a.ids).subspan(std::size_t(agree)),
                    std::span(b.ids).subspan(std::size_t(agree)));
    if (later >= 0)
        sheet.text({"They differ from position %td on. Ask for a character after that: --query %td "
                    "(%s).",
                    "差别从位置 %td 开始。可以看差别之后的字：--query %td（“%s”）。"},
                   agree, agree + later, a.tokens[agree + later]);
    sheet.text({"Or put what differs in front of %1$s, where it can be seen:",
                "或者把不同的部分放到“%1$s”的前面，让它看得到："},
               a.query_token());
    const std::string common = words_between(a, 0, agree);
    sheet.formula("--text " + words_between(a, agree, a.length()) + common + "  --compare " +
                  words_between(b, agree, b.length()) + common);
    if (a.query_token() == "果") sheet.formula("--text 摘下一个苹果  --compare 一百股苹果");
}

}  // namespace

Sheet compare_sheet(const WorkedModel& model, std::span<const Token> first,
                    std::span<const Token> second, Index query) {
    if (query == -1) query = last_shared(first, second);
    const WorkedText text(model, first, {0, 0, query});
    const auto last = std::find(second.rbegin(), second.rend(), text.ids[text.focus.query]);
    if (last == second.rend())
        fail_usage({"--compare: the text must hold %s, which stands at position %td of --text "
                    "(--query chooses another character)",
                    "--compare：这段文字里要有“%s”，它在 --text 的位置 %td（用 --query 选别的字）"},
                   text.query_token(), text.focus.query);
    const Readings readings{read(model, first, text.focus),
                            read(model, second, {0, 0, second.rend() - last - 1})};
    Sheet sheet{say({"%s in two contexts", "“%s”在两段话里"}, text.query_token())};
    write_texts(sheet, readings);
    // A decoder sees only what stands up to the character, itself included.
    if (readings[0].focus.query == readings[1].focus.query &&
        agreeing(readings) > readings[0].focus.query) {
        write_same(sheet, readings);
    } else {
        write_stages(sheet, readings);
        write_heads(sheet, readings);
    }
    write_predictions(sheet, readings);
    return sheet;
}

}  // namespace zhuyi
