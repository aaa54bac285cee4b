// Some training steps, and what they do to one token, as a sheet.
#include <algorithm>
#include <array>

#include "attention/neighbors.h"
#include "base/format.h"
#include "explain/step.h"
#include "model/gpt.h"
#include "model/parameters.h"
#include "text/tokenizer.h"
#include "train/config.h"

namespace zhuyi {
namespace {

constexpr const char* kEmbedding = "embedding.token";

// How far E[token] was moved (C) by each of four causes. Together they are the whole move.
//
//     0  gradients from where the token was read, in these updates
//     1  those of the output layer, which uses the same table
//     2  what m remembered from before the first of these updates
//     3  weight decay
using Shares = std::array<Numbers, 4>;

// The model as the token sees it, before the first update or after one.
struct Moment {
    Numbers E{};
    Grid W_Q{}, W_K{};  // (C, d_k): this head's columns
    Numbers attention{}, next{};
    Shares shares{};                     // of the way so far
    std::string towards{}, away_from{};  // rows of E that the last ΔE points to
};

struct TokenSteps : WorkedText {
    const WorkedTraining& training;
    const TokenWish& wish;
    // The position whose attention is shown. The first of the text sees only itself, so the last
    // one stands for it.
    const Index asker = focus.query > 0 ? focus.query : length() - 1;
    List<Moment> moments{};
    const bool frozen = !training.model.parameters.tensor(kEmbedding).gradient;

    Token followed() const { return ids[focus.query]; }
    Labels words() const {
        Labels labels{{"before", "更新前"}};
        for (Index n = 1; n < moments.count(); ++n)
            labels.push_back(say({"after %td", "第 %td 次后"}, n));
        return labels;
    }
    Numbers moved(Index n) const { return difference(moments[n].E, moments[n - 1].E); }
    Numbers moved() const { return difference(moments.back().E, moments.front().E); }
    // Puts one row of each moment below the other.
    template <class Of>
    Grid rows(const Of& of) const {
        Grid grid(0, of(moments[0]).count());
        for (const Moment& moment : moments) {
            const Numbers row = of(moment);
            grid.values.insert(grid.values.end(), row.begin(), row.end()), ++grid.rows;
        }
        return grid;
    }
};

Moment seen_from(const TokenSteps& s, const MovedBy& by) {
    const Reading r = read(s.training.model, s.ids, s.focus);
    const Numbers row = r.pass
                            .values(r.own("attention.weights"))  // (H T, T)
                            .row_copy(s.focus.head * s.length() + s.asker);
    return {.E = r.model.value(kEmbedding).row_copy(s.followed()),
            .W_Q = r.matrix("attention.W_Q"),
            .W_K = r.matrix("attention.W_K"),
            .attention = Numbers(row.begin(), row.begin() + s.asker + 1),
            .next = softmax(r.at_query("logits")),
            .shares = {by.moved(0), by.moved(1), by.by_rest(), by.by_decay()}};
}

// Returns the rows of E that the last ΔE points to (sign 1) or away from (sign -1), without the
// token's own: "鱼 +0.31 肉 +0.22".
std::string pointed_at(const TokenSteps& s, double sign) {
    const WorkedModel& model = s.training.model;
    std::vector<Token> others = possible_neighbours(model.tokenizer);
    std::erase(others, s.followed());
    const Numbers way = scaled(s.moved(s.moments.count() - 1), sign);
    return joined(nearest(way, model.parameters.tensor(kEmbedding), others, 2), " ",
                  [&](const Neighbour& each) {
                      return model.tokenizer.name(each.token) +
                             format(" %+.2f", sign * each.cosine);
                  });
}

// Makes the updates, and fills s.moments.
void write_updates_made(Sheet& sheet, TokenSteps& s, const DrawWindows& draw) {
    sheet.section("updates", {"The updates", "这几次更新"});
    sheet.text(
        s.wish.on_text
            ? say({"Each has the text above as its only batch, dropout off. They are made on a "
                   "copy in memory: the run is as it was.",
                   "每次都只用上面这段文字作为一个批次，不用 dropout。在内存里的副本上进行：训练"
                   "目录没有变。"})
            : say({"With the batches that training would draw next. They are made on a copy in "
                   "memory: the run is as it was.",
                   "用训练接下来会抽到的批次。在内存里的副本上进行：训练目录没有变。"}));
    if (s.training.over)
        sheet.text(
            {"This run is done: its learning rate has come down to 0. So a tenth of the "
             "peak is taken.",
             "这次训练已经完成，学习率已降到 0；所以这里取峰值的十分之一。"});
    if (!s.wish.begins.empty()) sheet.text(s.wish.begins);
    Sheet::Table& table = sheet.list("updates", {{"step", "步"},
                                                 {"loss", "损失"},
                                                 "η",
                                                 say({"%s read", "“%s”作输入"}, s.query_token()),
                                                 {"to predict", "作目标"},
                                                 {"gradient norm", "梯度范数"}});
    MovedBy by(2, s.config.channels);  // 0: where the token was read, 1: the output layer
    s.moments.push_back(seen_from(s, by));
    for (Index n = 1; n <= s.wish.times; ++n) {
        const Index step = s.training.step + n - 1;
        const Windows windows = draw(step);
        const StepReport report = follow_update(s.training, step, windows, s.followed(), by);
        table.add(std::to_string(n),
                  {Cell::exact(double(report.step)), report.loss, Cell::exact(report.learning_rate),
                   Cell::exact(double(windows.times_read(s.followed()))),
                   Cell::exact(double(windows.times_asked(s.followed()))), report.gradient_norm});
        Moment& after = s.moments.emplace_back(seen_from(s, by));
        after.towards = pointed_at(s, 1), after.away_from = pointed_at(s, -1);
    }
}

void write_embedding_moved(Sheet& sheet, const TokenSteps& s) {
    sheet.section("embedding", {"E[%s], before and after", "E[%s]：更新前后"}, s.query_token());
    if (s.frozen)
        return sheet.text(
            {"The embedding is frozen: it does not move.", "词向量被冻结了：它不移动。"});
    const Grid E = s.rows([](const Moment& m) { return m.E; });
    sheet.matrix("E", with_shape(s.token("E"), {E.columns}), s.words(), E);
    sheet.text(
        {"How far each update moved it, and in which direction: cosine to the update before, "
         "and the rows of E that ΔE points to most, and away from.",
         "每次移动了多远、朝哪个方向：与上一次移动的余弦，以及 ΔE 最指向、最背离的几个字的词"
         "向量。"});
    Sheet::Table& table = sheet.list("moved", {"‖ΔE‖",
                                               "‖ΔE‖ / ‖E‖",
                                               {"with the last", "与上次"},
                                               {"towards", "朝向"},
                                               {"away from", "背离"}});
    for (Index n = 1; n < s.moments.count(); ++n) {
        const double size = length(s.moved(n)), before = length(E.row(n - 1));
        table.add(std::to_string(n), {size, before > 0 ? size / before : 0,
                                      n > 1 ? Cell(cosine(s.moved(n), s.moved(n - 1))) : Cell(),
                                      s.moments[n].towards, s.moments[n].away_from});
    }
    if (s.wish.times > 1)
        table.total({"all", "合计"}, {length(s.moved()), length(s.moved()) / length(E.row(0))});
}

void write_shares(Sheet& sheet, const TokenSteps& s) {
    const std::string& name = s.query_token();
    sheet.section("parts", {"Where ΔE[%s] came from", "ΔE[%s] 从哪里来"}, name);
    if (s.frozen) return sheet.text({"It did not move.", "它没有移动。"});
    if (s.training.config.optimizer == UpdateRule::sgd)
        return sheet.text({"SGD moves E by -η times the clipped gradient. It remembers nothing.",
                           "SGD 让 E 移动 -η 乘以（裁剪后的）梯度，它什么也不记。"});
    sheet.text(
        {"AdamW moves E by -η m̂ / (√v̂ + ε) - η λ E. m is a sum: of gradients from where %s was "
         "read, of gradients from the output layer%s, and of what it remembered from before. "
         "Dividing by √v̂ + ε is the same for all of them. Each number is the length of a part "
         "along ΔE; a row adds up to ‖ΔE‖, but for rounding. Negative: it pulled the other way.",
         "AdamW 把 E 移动 -η m̂ / (√v̂ + ε) - η λ E。m 是几部分之和：读到“%s”的各处传回的梯度、输出"
         "层的梯度%s、以及此前记住的部分；除以 √v̂ + ε 对各部分都一样。每个数是这一部分在 ΔE 方向上"
         "的分量，一行之和就是 ‖ΔE‖（只差舍入）。负数：朝反方向拉。"},
        name,
        s.config.tied
            ? Words{", which uses the same table", "（与词向量共用一张表）"}
            : Words{" (here none: it has a table of its own)", "（这里没有：它另有一张表）"});
    Sheet::Table& table = sheet.list("parts", {{"read", "作输入"},
                                               {"output layer", "输出层"},
                                               {"m before", "此前的 m"},
                                               {"decay", "权重衰减"},
                                               "‖ΔE‖"});
    const auto cells = [](const Shares& shares, const Numbers& whole) {
        std::vector<Cell> row;
        for (const Numbers& share : shares) row.push_back(along(share, whole));
        row.push_back(length(whole));
        return row;
    };
    for (Index n = 1; n < s.moments.count(); ++n) {
        Shares made;
        for (std::size_t k = 0; k < made.size(); ++k)
            made[k] = difference(s.moments[n].shares[k], s.moments[n - 1].shares[k]);
        table.add(std::to_string(n), cells(made, s.moved(n)));
    }
    const Shares& all = s.moments.back().shares;
    if (s.wish.times > 1) table.total({"all", "合计"}, cells(all, s.moved()));
    sheet.text(
        {"Lengths of the parts themselves, all updates together: read %.6f, output layer "
         "%.6f, m before %.6f, decay %.6f.",
         "各部分本身的范数（全部更新合计）：作输入 %.6f，输出层 %.6f，此前的 m %.6f，权重衰减 "
         "%.6f。"},
        length(all[0]), length(all[1]), length(all[2]), length(all[3]));
}

// Shows the row of W_Q that all updates together moved most, and the same row of W_K.
void write_matrices(Sheet& sheet, const TokenSteps& s) {
    const Grid &before = s.moments.front().W_Q, &after = s.moments.back().W_Q;
    Numbers way;
    for (Index r = 0; r < before.rows; ++r) way.push_back(distance(before.row(r), after.row(r)));
    const Index channel = largest(way);
    sheet.section("matrices",
                  {"Row %td of W_Q and W_K, block %td, head %td",
                   "W_Q 和 W_K 的第 %td 行，第 %td 层，头 %td"},
                  channel, s.focus.block, s.focus.head);
    sheet.text(
        {"Row i is what component i of the vector is multiplied with. This one moved most in W_Q.",
         "第 i 行与向量的第 i 个分量相乘。W_Q 里移动最多的就是这一行。"});
    const Grid rows[] = {s.rows([&](const Moment& m) { return m.W_Q.row_copy(channel); }),
                         s.rows([&](const Moment& m) { return m.W_K.row_copy(channel); })};
    for (const auto& [name, grid] : {std::pair("W_Q", &rows[0]), std::pair("W_K", &rows[1])})
        sheet.matrix(name, with_shape(format("%s[%td]", name, channel), {grid->columns}), s.words(),
                     *grid);
    Sheet::Table& table =
        sheet.list("rows_moved",
                   {"‖ΔW_Q‖", {"with the last", "与上次"}, "‖ΔW_K‖", {"with the last", "与上次"}});
    for (Index n = 1; n < s.moments.count(); ++n) {
        std::vector<Cell> cells;
        for (const Grid& grid : rows) {
            const auto moved = [&](Index i) { return difference(grid.row(i), grid.row(i - 1)); };
            cells.push_back(length(moved(n)));
            cells.push_back(n > 1 ? Cell(cosine(moved(n), moved(n - 1))) : Cell());
        }
        table.add(std::to_string(n), std::move(cells));
    }
}

void write_attention_moved(Sheet& sheet, const TokenSteps& s) {
    sheet.section("attention",
                  {"Where %s looks, block %td, head %td", "“%s”在看哪里，第 %td 层，头 %td"},
                  s.tokens[s.asker], s.focus.block, s.focus.head);
    if (s.asker != s.focus.query)
        sheet.text({"%s is the first of the text and sees only itself; so this is the row of the "
                    "last one.",
                    "“%s”在开头，只看得见自己；所以这里是最后一个字的一行。"},
                   s.query_token());
    Labels looked = s.labels();
    looked.resize(std::size_t(s.asker + 1));
    const Grid weights = s.rows([](const Moment& m) { return m.attention; });
    sheet.matrix("attention", {}, s.words(), weights, looked).show_largest = true;
}

// Shows the text's own next token, and those that were likeliest before the first update or are it
// after the last.
void write_next(Sheet& sheet, const TokenSteps& s) {
    const Tokenizer& tokenizer = s.training.model.tokenizer;
    sheet.section("next", {"What may follow %s", "“%s”之后的字"}, s.query_token());
    List<Token> guesses;
    if (s.focus.query + 1 < s.length()) guesses.push_back(s.ids[s.focus.query + 1]);
    if (!guesses.empty())
        sheet.text(
            {"The text's own next one comes first: %s.", "文字里真正的下一个字排在最前：%s。"},
            tokenizer.name(guesses[0]));
    for (const Moment* moment : {&s.moments.front(), &s.moments.back()})
        for (const Token token : by_size(moment->next, 5))
            if (std::ranges::find(guesses, token) == guesses.end()) guesses.push_back(token);
    Labels names;
    for (const Token token : guesses) names.push_back(tokenizer.name(token));
    const Grid next = s.rows([&](const Moment& moment) {
        Numbers p;
        for (const Token token : guesses) p.push_back(moment.next[token]);
        return p;
    });
    sheet.matrix("p", {"p(next)", "p(下一个字)"}, s.words(), next, names);
}

}  // namespace

Sheet token_sheet(const WorkedTraining& training, const TokenWish& wish, const DrawWindows& draw) {
    TokenSteps s{WorkedText(training.model, wish.text, wish.focus), training, wish};
    const std::string &name = s.query_token(), text = s.marked();
    Sheet sheet{
        wish.times == 1
            ? say({"What one training step does to %s, in %s", "训练 1 步，“%s”怎样变化：%s"}, name,
                  text)
            : say({"What %td training steps do to %s, in %s", "训练 %td 步，“%s”怎样变化：%s"},
                  wish.times, name, text)};
    write_updates_made(sheet, s, draw);
    write_embedding_moved(sheet, s);
    write_shares(sheet, s);
    write_matrices(sheet, s);
    write_attention_moved(sheet, s);
    write_next(sheet, s);
    return sheet;
}

}  // namespace zhuyi
