#include "explain/forward.h"

#include <algorithm>

#include "base/check.h"
#include "base/format.h"
#include "system/printable.h"

namespace zhuyi {
constexpr Index kSeen = 4, kMoves = 6, kLogits = 4;

static std::size_t number_of(const Sheet& whole, const char* key) {
    const auto at = std::ranges::find(whole.sections, std::string_view(key), &Sheet::Section::key);
    return std::size_t(at - whole.sections.begin()) + 1;
}

// Begins a part of the path, and names the sheets that it is taken from.
static void part(Sheet& path, const Sheet& whole, const char* first, const char* last,
                 const Label& heading) {
    const std::size_t a = number_of(whole, first), b = number_of(whole, last);
    const std::string numbers = a == b ? say({"  (sheet %zu)", "（演算表 %zu）"}, a)
                                       : say({"  (sheets %zu to %zu)", "（演算表 %zu–%zu）"}, a, b);
    path.sections.push_back({first, heading + numbers});
}

static void hint(Sheet& path, const Sheet& whole) {
    path.sections.push_back({"more", {}});
    path.text(
        {"Main path. All %zu sheets: --sheets all; some: --sheets %zu,%zu. Numbers begin at 0.",
         "以上是主线。全部 %zu 张表：--sheets all；其中几张：--sheets %zu,%zu。都从 0 数起。"},
        whole.sections.size(), number_of(whole, "scores"), number_of(whole, "softmax"));
}

static void write_vectors(Sheet& path, const Sheet& whole, const WorkedText& text) {
    const Index q = text.focus.query;
    part(path, whole, "tokens", "projections",
         {"From the character to query, key and value", "从字到查询 q、键 k、值 v"});
    const Sheet::Table& embedding = whole.table("embedding");
    const Numbers x = embedding.row(-1).numbers();
    path.text({"%s   token %td, ‖x‖ = %.4f", "%s   token 编号 %td，‖x‖ = %.4f"},
              around(text.tokens, q, 5), Index(text.ids[q]), length(x));
    Sheet::Table& table = path.matrix("vectors");
    table.add(embedding.rows.size() == 2 ? "x = E[token]" : "x = E[token] + P", x);
    table.add("X = LayerNorm(x)", whole.table("norm_1").row(-1).numbers());
    table.add("q = X · W_Q + b_Q", whole.table("projections", "Q").row(q).numbers());
    table.add("k = X · W_K + b_K", whole.table("projections", "K").row(q).numbers());
    table.add("v = X · W_V + b_V", whole.table("projections", "V").row(q).numbers());
}

static void write_looks(Sheet& path, const Sheet& whole, const WorkedText& text) {
    const Index q = text.focus.query;
    part(path, whole, "scores", "softmax", {"Where the head looks", "这个头看哪里"});
    const bool turned = whole.has("rotation");
    const std::string mark = turned ? "'" : "";
    if (turned)
        path.text({"q' and k' are q and k, turned by their positions (sheet %zu).",
                   "q'、k' 是按位置旋转之后的 q、k（演算表 %zu）。"},
                  number_of(whole, "rotation"));
    const Sheet::Table &scores = whole.table("scores"), &softmax = whole.table("softmax");
    Numbers weights;
    for (Index s = 0; s <= q; ++s) weights.push_back(softmax.row(s).number(2));
    Sheet::Table& table = path.list("looks", {"q" + mark + " · k" + mark,
                                              format("÷ √%td", text.config.head_size()),
                                              {"weight", "注意力权重"}});
    double rest = 1;
    for (const Index s : by_size(weights, kSeen)) {
        const Sheet::Row& row = scores.row(s);
        table.add(row.label, {row.number(0), row.number(4), weights[s]});
        rest -= weights[s];
    }
    if (weights.count() > kSeen)
        table.add(say({"other %td", "其余 %td 个"}, weights.count() - kSeen),
                  {Cell(), Cell(), rest});
    Sheet::Product product = whole.at("scores").product();
    product.label = "q" + mark + "[" + text.query_token() + "] · k" + mark + "[" +
                    text.tokens[largest(weights)] + "]";
    path.sections.back().items.push_back(product);
}

static void write_taken(Sheet& path, const Sheet& whole, const WorkedText& text) {
    part(path, whole, "mix", "residual",
         {"What it brings back, and what that adds to x", "取回什么，给 x 加上什么"});
    const Index h = text.focus.head;
    Sheet::Table& table = path.matrix("taken");
    table.add(say({"mix_%td = Σ weight · v", "mix_%td = Σ 权重 · v"}, h),
              whole.table("mix").row(-1).numbers());
    const Sheet::Table& output = whole.table("output");
    table.add(output.row(h).label, output.row(h).numbers());
    table.add({"output (all heads)", "输出（所有头）"}, output.row(-1).numbers());
    table.total({"x' = x + output", "x' = x + 输出"},
                whole.table("residual", "residual_1").row(-1).numbers());
}

// Lists the longest moves in their order, with the first of the neighbours ("江 0.93  小 0.41").
static void write_moves(Sheet& path, const Sheet& whole) {
    part(path, whole, "stack", "stack", {"All blocks", "走完所有层"});
    const Sheet::Table& all = whole.table("stack", "moves");
    Numbers lengths = all.column(0);
    std::ranges::sort(lengths, std::ranges::greater());
    const double least = lengths[std::min(kMoves, lengths.count()) - 1];
    Sheet::Table& moves =
        path.list("moves", {"‖Δx‖", "‖x‖", {"nearest before", "之前最近"}, {"after", "之后最近"}});
    const auto first = [](const std::string& near) { return near.substr(0, near.find("  ")); };
    for (const Sheet::Row& row : all.rows)
        if (row.number(0) >= least)
            moves.add(row.label,
                      {row.number(0), row.number(1), first(row.words(3)), first(row.words(4))});
}

static void write_prediction(Sheet& path, const Sheet& whole) {
    part(path, whole, "prediction", "prediction", {"The next token", "下一个 token"});
    const auto& rows = whole.table("prediction", "predictions").rows;  // the last: all others
    path.text(
        joined(std::span(rows).first(std::min<std::size_t>(5, rows.size() - 1)), "   ",
               [](const Sheet::Row& row) { return row.label + format(" %.4f", row.number(1)); }));
}

static void write_loss(Sheet& path, const Sheet& whole, Index q) {
    part(path, whole, "loss", "d_logits",
         {"Loss and gradient of the logits", "损失与 logits 的梯度"});
    const Sheet::Row &row = whole.table("loss").row(q), &mean = whole.table("loss").row(-1);
    path.text(
        {"Position %td is to predict %s: p = %.4f, -ln p = %.4f; mean loss %.4f nats per token.",
         "位置 %td 要预测“%s”：p = %.4f，-ln p = %.4f；平均损失 %.4f 奈特/token。"},
        q, row.words(0).substr(std::string_view("→ ").size()), row.number(1), row.number(2),
        mean.number(2));
    const auto& rows = whole.table("d_logits").rows;
    path.list("d_logits", {"p", "onehot", "(p - onehot) / T"})
        .rows.assign(rows.begin(), rows.begin() + std::min(kLogits, std::ssize(rows)));
}

// Lists ‖dx‖ after the last block, before each block, at the embedding.
static void write_way_down(Sheet& path, const Sheet& whole) {
    part(path, whole, "d_residual", "d_residual",
         {"Back along the blocks", "沿残差连接一层层传回"});
    path.text({"‖dx‖ from the last FFN down to the embedding: %s",
               "‖dx‖，从最后一层 FFN 之后到词向量：%s"},
              joined(whole.table("d_residual").column(0), " → ",
                     [](double length) { return format("%.4g", length); }));
}

static void write_matrix(Sheet& path, const Sheet& whole, const WorkedText& text) {
    part(path, whole, "d_output", "d_weights_in",
         {"Through the head, to W_Q", "经过这个头，到 W_Q"});
    Sheet::Table& table = path.matrix("d_head");
    table.add(format("dmix_%td", text.focus.head),
              whole.table("d_output", "d_mix").row(0).numbers());
    table.add("dq", whole.table("d_projections", "d_Q").row(text.focus.query).numbers());
    path.list("d_weight_lengths", {"‖dW_Q‖", "‖dW_K‖", "‖dW_V‖", "‖dW_O‖"})
        .add(say({"head %td", "头 %td"}, text.focus.head),
             whole.table("d_weights_in", "d_weight_lengths").column(0));
    path.sections.back().items.push_back(whole.at("d_weights_in").product());
}

// Reads "1,234" as a number.
static Index counted(std::string grouped) {
    std::erase(grouped, ',');
    return parse_integer(grouped).value_or(0);
}

// Returns the lines that write_weight wrote of the weight of this name, or nothing if it is frozen.
static const Sheet::Table* lines_of(const Sheet& whole, const Label& name) {
    for (const Sheet::Section& section : whole.sections)
        if (section.key == "muon" || section.key == "adamw")
            for (const Sheet::Item& item : section.items)
                if (const auto* lines = std::get_if<Sheet::Table>(&item);
                    lines && lines->columns[0] == name)
                    return lines;
    return nullptr;
}

// The check has these rows: loss, gradients, a weight of W_Q, one of E, all numbers of both.
static void write_update(Sheet& path, const Sheet& whole) {
    const bool muon = whole.has("muon");
    part(path, whole, muon ? "muon" : "adamw", "check", {"The update", "更新"});
    Sheet::Table& table = path.list("update", {{"before", "之前"},
                                               {"gradient", "梯度"},
                                               {"after", "之后"},
                                               {"training step", "训练一步"}});
    const Sheet::Table& check = whole.table("check");
    for (const Index weight : {2, 3}) {
        const Sheet::Row& row = check.row(weight);
        const Sheet::Table* lines = lines_of(whole, row.label);
        table.add(row.label, {lines ? lines->row(0).cells[0] : row.cells[0],
                              lines ? lines->row(1).number() : 0, row.cells[0], row.cells[1]});
    }
    const Index all = counted(check.row(4).words(0)), same = counted(check.row(4).words(1));
    path.text(
        {"Of %s numbers of W_Q and E %s differ from the trainer's own step. Loss on this text: "
         "%.4f → %.4f nats per token.",
         "W_Q 和 E 共 %s 个数，与训练器的一步不同的有 %s 个。这段文字上的损失：%.4f → %.4f "
         "奈特/token。"},
        grouped(all), grouped(all - same), check.row(0).number(0),
        whole.at("check").paragraph(-1).numbers[0]);  // the loss after the step
}

Sheet forward_path(const WorkedText& text, const Sheet& whole) {
    Sheet path{whole.title};
    write_vectors(path, whole, text);
    write_looks(path, whole, text);
    write_taken(path, whole, text);
    write_moves(path, whole);
    write_prediction(path, whole);
    hint(path, whole);
    return path;
}

Sheet backward_path(const WorkedText& text, const Sheet& whole) {
    Sheet path{whole.title};
    write_loss(path, whole, text.focus.query);
    write_way_down(path, whole);
    write_matrix(path, whole, text);
    write_update(path, whole);
    hint(path, whole);
    return path;
}

Sheet chosen_sheets(const Sheet& whole, const std::string& numbers) {
    const Index last = std::ssize(whole.sections);
    Sheet chosen{whole.title};
    for (const std::string_view part : split(numbers, ",")) {
        const std::string word(part);
        if (const std::size_t named = number_of(whole, word.c_str());
            !word.empty() && named <= whole.sections.size()) {
            chosen.sections.push_back(whole.sections[named - 1]);
            continue;
        }
        const std::size_t dash = word.find('-');
        const auto from = parse_integer(word.substr(0, dash));
        const auto to = dash == word.npos ? from : parse_integer(word.substr(dash + 1));
        if (!from || !to || *from < 1 || *to < *from || *to > last)
            fail_usage(
                {"--sheets: expected all, numbers from 1 to %td (\"5,8-10\") or names (%s), "
                 "found %s",
                 "--sheets：应为 all，或 1 到 %td 的编号（如“5,8-10”），或名字（%s），实际是 %s"},
                last,
                joined(whole.sections, " ",
                       [](const Sheet::Section& section) { return section.key; }),
                in_quotes(word));
        for (Index i = *from; i <= *to; ++i)
            chosen.sections.push_back(whole.sections[std::size_t(i - 1)]);
    }
    return chosen;
}

}  // namespace zhuyi
