#include "explain/main_path.h"

#include <algorithm>

#include "base/check.h"
#include "base/format.h"
#include "base/number.h"
#include "system/printable.h"
#include "text/tokenizer.h"

namespace zhuyi {
namespace {

constexpr std::size_t kSeen = 4, kMoves = 6, kLogits = 4;

std::size_t number_of(const Sheet& whole, const char* key) {
    const auto at = std::ranges::find(whole.sections, std::string_view(key), &Sheet::Section::key);
    return std::size_t(at - whole.sections.begin()) + 1;
}

std::string names_of(const Sheet& whole) {
    std::string names;
    for (const Sheet::Section& section : whole.sections)
        names += (names.empty() ? "" : " ") + section.key;
    return names;
}

// A part of the path, headed by the numbers of its sheets.
void part(Sheet& path, const Sheet& whole, const char* first, const char* last,
          const Text& heading) {
    const std::size_t a = number_of(whole, first), b = number_of(whole, last);
    const Text numbers = a == b ? say({"  (sheet %zu)", "（演算表 %zu）"}, a)
                                : say({"  (sheets %zu to %zu)", "（演算表 %zu–%zu）"}, a, b);
    path.sections.push_back({first, heading + numbers});
}

void hint(Sheet& path, const Sheet& whole) {
    path.sections.push_back({"more", {}});
    path.text(
        {"Main path. All %zu sheets: --sheets all; some: --sheets %zu,%zu. Numbers begin at 0.",
         "以上是主线。全部 %zu 张表：--sheets all；其中几张：--sheets %zu,%zu。都从 0 数起。"},
        whole.sections.size(), number_of(whole, "scores"), number_of(whole, "softmax"));
}

// ---- forward

void write_vectors(Sheet& path, const Sheet& whole, const WorkedForward& f) {
    const Index q = f.focus.query;
    part(path, whole, "tokens", "projections",
         {"From the character to query, key and value", "从字到查询 q、键 k、值 v"});
    constexpr Index kSide = 5;  // characters beside it
    const Index from = std::max<Index>(q - kSide, 0), to = std::min(q + kSide + 1, f.length());
    std::string text = from > 0 ? "…" : "";
    for (Index t = from; t < to; ++t)
        text += t == q ? "[" + f.tokens[std::size_t(t)] + "]" : f.tokens[std::size_t(t)];
    if (to < f.length()) text += "…";
    path.text({"%s   token %td, ‖x‖ = %.4f", "%s   token 编号 %td，‖x‖ = %.4f"}, text,
              Index(f.ids[std::size_t(q)]), length(f.embedding));
    Sheet::Table& table = path.matrix("vectors");
    table.add(f.position_row.empty() ? "x = E[token]" : "x = E[token] + P", f.embedding);
    table.add("X = LayerNorm(x)", f.norm_1.y);
    table.add("q = X · W_Q + b_Q", f.attention.Q.row(q));
    table.add("k = X · W_K + b_K", f.attention.K.row(q));
    table.add("v = X · W_V + b_V", f.attention.head.V.row(q));
}

void write_looks(Sheet& path, const Sheet& whole, const WorkedForward& f) {
    const Index q = f.focus.query, D = f.config.head_size();
    const WorkedHead& head = f.attention.head;
    part(path, whole, "scores", "softmax", {"Where the head looks", "这个头看哪里"});
    const bool turned = f.attention.rotation.has_value();
    const std::string mark = turned ? "'" : "";
    if (turned)
        path.text({"q' and k' are q and k, turned by their positions (sheet %zu).",
                   "q'、k' 是按位置旋转之后的 q、k（演算表 %zu）。"},
                  number_of(whole, "rotation"));
    std::vector<Index> seen;
    for (Index s = 0; s <= q; ++s) seen.push_back(s);
    const auto weight = [&](Index s) { return head.weights.at(q, s); };
    std::ranges::stable_sort(seen, std::ranges::greater(), weight);
    Sheet::Table& table = path.list(
        "looks", {"q" + mark + " · k" + mark, format("÷ √%td", D), {"weight", "注意力权重"}});
    const Labels labels = f.labels();
    double rest = 1;
    for (std::size_t i = 0; i < std::min(kSeen, seen.size()); ++i) {
        const Index s = seen[i];
        table.add(labels[std::size_t(s)],
                  {head.products.at(q, s), head.scaled.at(q, s), weight(s)});
        rest -= weight(s);
    }
    if (seen.size() > kSeen)
        table.add(say({"other %zu", "其余 %zu 个"}, seen.size() - kSeen),
                  {Sheet::Cell(), Sheet::Cell(), rest});
    path.product("q" + mark + "[" + f.query_token() + "] · k" + mark + "[" +
                     f.tokens[std::size_t(seen[0])] + "]",
                 head.Q.row(q), head.K.row(seen[0]), head.products.at(q, seen[0]));
}

void write_taken(Sheet& path, const Sheet& whole, const WorkedForward& f) {
    part(path, whole, "mix", "residual",
         {"What it brings back, and what that adds to x", "取回什么，给 x 加上什么"});
    const Index q = f.focus.query, h = f.focus.head;
    Sheet::Table& table = path.matrix("taken");
    table.add(say({"mix_%td = Σ weight · v", "mix_%td = Σ 权重 · v"}, h),
              f.attention.head.mix.row(q));
    table.add(format("mix_%td · W_O[%td]", h, h), f.attention.head_parts.row(h));
    table.add({"output (all heads)", "输出（所有头）"}, f.attention.output);
    table.total({"x' = x + output", "x' = x + 输出"}, f.residual_1);
}

std::string nearest_text(const std::vector<Neighbour>& near, const Tokenizer& tokenizer) {
    return near.empty() ? "" : tokenizer.name(near[0].token) + format(" %.2f", near[0].cosine);
}

// ---- backward

void write_back(Sheet& path, const Sheet& whole, const WorkedBackward& b) {
    const std::size_t q = std::size_t(b.forward.focus.query);
    part(path, whole, "loss", "d_logits",
         {"Loss and gradient of the logits", "损失与 logits 的梯度"});
    path.text(
        {"Position %zu is to predict %s: p = %.4f, -ln p = %.4f; mean loss %.4f nats per token.",
         "位置 %zu 要预测“%s”：p = %.4f，-ln p = %.4f；平均损失 %.4f 奈特/token。"},
        q, b.predictions[q].target, b.predictions[q].probability, b.predictions[q].loss, b.loss);
    Sheet::Table& table =
        path.list("d_logits", {"p", "onehot", {"(p - onehot) / T", "(p - onehot) / T"}});
    for (std::size_t i = 0; i < std::min(kLogits, b.logits.size()); ++i)
        table.add(b.logits[i].token, {b.logits[i].probability, b.logits[i].onehot == 1 ? "1" : "0",
                                      b.logits[i].gradient});
}

// ‖dx‖ after the last block, before each block, at the embedding.
void write_way_down(Sheet& path, const Sheet& whole, const WorkedBackward& b) {
    part(path, whole, "d_residual", "d_residual",
         {"Back along the blocks", "沿残差连接一层层传回"});
    std::string text;
    for (const WorkedBackward::Stage& stage : b.stages)
        text += (text.empty() ? "" : " → ") + format("%.4g", stage.gradient);
    path.text({"‖dx‖ from the last FFN down to the embedding: %s",
               "‖dx‖，从最后一层 FFN 之后到词向量：%s"},
              text);
}

void write_matrix(Sheet& path, const Sheet& whole, const WorkedBackward& b) {
    const WorkedForward& f = b.forward;
    const auto& a = b.attention;
    const Index D = f.config.head_size(), column = f.focus.head * D + a.column, q = f.focus.query;
    part(path, whole, "d_output", "d_weights_in",
         {"Through the head, to W_Q", "经过这个头，到 W_Q"});
    Sheet::Table& table = path.matrix("d_head");
    table.add(format("dmix_%td", f.focus.head), a.d_mix);
    table.add("dq", a.d_Q.row(q));
    Sheet::Table& lengths = path.list("d_weight_lengths", {"‖dW_Q‖", "‖dW_K‖", "‖dW_V‖", "‖dW_O‖"});
    lengths.add(say({"head %td", "头 %td"}, f.focus.head),
                {length(a.dW_Q.values), length(a.dW_K.values), length(a.dW_V.values),
                 length(a.dW_O.values)});
    path.product(format("dW_Q[%td,%td]", a.row, column), a.entry_X, a.entry_dQ,
                 a.dW_Q.at(a.row, a.column));
}

void write_update(Sheet& path, const Sheet& whole, const WorkedBackward& b) {
    const WorkedUpdates& u = b.updates;
    const bool muon = std::holds_alternative<WorkedMuon>(u.W_Q.rule);
    part(path, whole, muon ? "muon" : "adamw", "check", {"The update", "更新"});
    Sheet::Table& table = path.list("update", {{"before", "之前"},
                                               {"gradient", "梯度"},
                                               {"after", "之后"},
                                               {"training step", "训练一步"}});
    const auto row = [&](const std::string& name, const WorkedUpdate& w, Real training) {
        table.add(name,
                  {Sheet::Cell::exact(double(w.value)), w.raw,
                   Sheet::Cell::exact(double(w.new_value)), Sheet::Cell::exact(double(training))});
    };
    row(format("W_Q[%td,%td]", u.W_Q.row, u.W_Q.column), u.W_Q, u.check.W_Q);
    row(format("E[%s][%td]", b.forward.query_token().c_str(), u.E.column), u.E, u.check.E);
    path.text(
        {"Of %s numbers of W_Q and E %s differ from the trainer's own step. Loss on this text: "
         "%.4f → %.4f nats per token.",
         "W_Q 和 E 共 %s 个数，与训练器的一步不同的有 %s 个。这段文字上的损失：%.4f → %.4f "
         "奈特/token。"},
        grouped(u.check.weights.numbers), grouped(u.check.weights.different), b.loss,
        u.check.loss_after);
}

}  // namespace

Sheet forward_path(const WorkedForward& f, const Tokenizer& tokenizer, const Sheet& whole) {
    Sheet path{whole.title};
    write_vectors(path, whole, f);
    write_looks(path, whole, f);
    write_taken(path, whole, f);
    part(path, whole, "stack", "stack", {"All blocks", "走完所有层"});
    // the longest ones, in their order
    std::vector<double> lengths;
    for (const WorkedMove& move : f.moves) lengths.push_back(move.moved);
    std::ranges::sort(lengths, std::ranges::greater());
    const double least = lengths[std::min(kMoves, lengths.size()) - 1];
    Sheet::Table& moves =
        path.list("moves", {"‖Δx‖", "‖x‖", {"nearest before", "之前最近"}, {"after", "之后最近"}});
    for (const WorkedMove& move : f.moves)
        if (move.moved >= least)
            moves.add(say({"block %td %s", "第 %td 层 %s"}, move.block,
                          move.attention ? Words{"attention", "注意力"} : Words{"FFN", "FFN"}),
                      {move.moved, move.length_after, nearest_text(move.before, tokenizer),
                       nearest_text(move.after, tokenizer)});
    part(path, whole, "prediction", "prediction", {"The next token", "下一个 token"});
    std::string text;
    for (std::size_t i = 0; i < std::min<std::size_t>(5, f.predictions.size()); ++i)
        text += (i ? "   " : "") + f.predictions[i].name +
                format(" %.4f", f.predictions[i].probability);
    path.text(same(text));
    hint(path, whole);
    return path;
}

Sheet backward_path(const WorkedBackward& b, const Sheet& whole) {
    Sheet path{whole.title};
    write_back(path, whole, b);
    write_way_down(path, whole, b);
    write_matrix(path, whole, b);
    write_update(path, whole, b);
    hint(path, whole);
    return path;
}

Sheet chosen_sheets(const Sheet& whole, const std::string& numbers) {
    const Index last = std::ssize(whole.sections);
    Sheet chosen{whole.title};
    for (std::size_t at = 0; at <= numbers.size();) {
        const std::size_t comma = std::min(numbers.find(',', at), numbers.size());
        const std::string word = numbers.substr(at, comma - at);
        at = comma + 1;
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
                last, names_of(whole), in_quotes(word));
        for (Index i = *from; i <= *to; ++i)
            chosen.sections.push_back(whole.sections[std::size_t(i - 1)]);
    }
    return chosen;
}

}  // namespace zhuyi
