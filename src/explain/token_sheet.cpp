#include "base/format.h"
#include "explain/token_step.h"
#include "text/tokenizer.h"

namespace zhuyi {
namespace {

using Steps = WorkedTokenSteps;

Text word_for(Index n) {
    return n == 0 ? Text("before", "更新前") : say({"after %td", "第 %td 次后"}, n);
}

Labels moments(const Steps& s) {
    Labels labels;
    for (Index n = 0; n <= std::ssize(s.updates); ++n) labels.push_back(word_for(n));
    return labels;
}

// A length along `whole`; those of all parts of it add up to its own.
double along(const Numbers& part, const Numbers& whole) {
    const double size = length(whole);
    return size > 0 ? dot(part, whole) / size : 0;
}

std::string names_of(const std::vector<Neighbour>& found, const Tokenizer& tokenizer, double sign) {
    std::string names;
    for (const Neighbour& each : found)
        names += (names.empty() ? "" : " ") +
                 format("%s %+.2f", tokenizer.name(each.token).c_str(), sign * each.cosine);
    return names;
}

void write_updates_made(Sheet& sheet, const Steps& s, const std::string& name) {
    sheet.section("updates", {"The updates", "这几次更新"});
    sheet.text(
        s.on_text
            ? Text(
                  "Each has the text above as its only batch, dropout off. They are made on a copy "
                  "in memory: the run is as it was.",
                  "每次都只用上面这段文字作为一个批次，不用 dropout。在内存里的副本上进行：训练"
                  "目录没有变。")
            : Text("With the batches that training would draw next. They are made on a copy in "
                   "memory: the run is as it was.",
                   "用训练接下来会抽到的批次。在内存里的副本上进行：训练目录没有变。"));
    if (s.over)
        sheet.text(
            {"This run is done: its learning rate has come down to 0. So a tenth of the "
             "peak is taken.",
             "这次训练已经完成，学习率已降到 0；所以这里取峰值的十分之一。"});
    Sheet::Table& table = sheet.list("updates", {{"step", "步"},
                                                 {"loss", "损失"},
                                                 "η",
                                                 say({"%s read", "“%s”作输入"}, name),
                                                 {"to predict", "作目标"}});
    for (std::size_t i = 0; i < s.updates.size(); ++i) {
        const Steps::Update& u = s.updates[i];
        table.add(std::to_string(i + 1),
                  {Sheet::Cell::exact(double(u.report.step)), u.report.loss,
                   Sheet::Cell::exact(u.report.learning_rate), Sheet::Cell::exact(double(u.inputs)),
                   Sheet::Cell::exact(double(u.targets))});
    }
}

void write_embedding(Sheet& sheet, const Steps& s, const std::string& name,
                     const Tokenizer& tokenizer) {
    sheet.section("embedding", {"E[%s], before and after", "E[%s]：更新前后"}, name);
    if (s.frozen)
        return sheet.text(
            {"The embedding is frozen: it does not move.", "词向量被冻结了：它不移动。"});
    sheet.matrix("E", with_shape(format("E[%s]", name.c_str()), {s.E.columns}), moments(s), s.E);
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
    for (std::size_t i = 0; i < s.updates.size(); ++i) {
        const Steps::Update& u = s.updates[i];
        const double size = length(u.moved), before = length(s.E.row(Index(i)));
        table.add(std::to_string(i + 1),
                  {size, before > 0 ? size / before : 0,
                   i > 0 ? Sheet::Cell(cosine(u.moved, s.updates[i - 1].moved)) : Sheet::Cell(),
                   names_of(u.towards, tokenizer, 1), names_of(u.away, tokenizer, -1)});
    }
    if (s.updates.size() > 1)
        table.total({"all", "合计"}, {length(s.moved), length(s.moved) / length(s.E.row(0))});
}

void write_parts_of(Sheet& sheet, const Steps& s, const std::string& name) {
    sheet.section("parts", {"Where ΔE[%s] came from", "ΔE[%s] 从哪里来"}, name);
    if (s.frozen) return sheet.text({"It did not move.", "它没有移动。"});
    sheet.text(
        {"AdamW moves E by -η m̂ / (√v̂ + ε) - η λ E. m is a sum: of gradients from where %s was "
         "read, of gradients from the output layer%s, and of what it remembered from before. "
         "Dividing by √v̂ + ε is the same for all of them. Each number is the length of a part "
         "along ΔE; a row adds up to ‖ΔE‖, but for rounding. Negative: it pulled the other way.",
         "AdamW 把 E 移动 -η m̂ / (√v̂ + ε) - η λ E。m 是几部分之和：读到“%s”的各处传回的梯度、输出"
         "层的梯度%s、以及此前记住的部分；除以 √v̂ + ε 对各部分都一样。每个数是这一部分在 ΔE 方向上"
         "的分量，一行之和就是 ‖ΔE‖（只差舍入）。负数：朝反方向拉。"},
        name,
        s.tied ? Words{", which uses the same table", "（与词向量共用一张表）"}
               : Words{" (here none: it has a table of its own)", "（这里没有：它另有一张表）"});
    Sheet::Table& table = sheet.list("parts", {{"read", "作输入"},
                                               {"output layer", "输出层"},
                                               {"m before", "此前的 m"},
                                               {"decay", "权重衰减"},
                                               "‖ΔE‖"});
    const auto cells = [](const Steps::Parts& p, const Numbers& whole) {
        return std::vector<Sheet::Cell>{along(p.read, whole), along(p.output, whole),
                                        along(p.before, whole), along(p.decay, whole),
                                        length(whole)};
    };
    for (std::size_t i = 0; i < s.updates.size(); ++i)
        table.add(std::to_string(i + 1), cells(s.updates[i].parts, s.updates[i].moved));
    if (s.updates.size() > 1) table.total({"all", "合计"}, cells(s.all, s.moved));
    sheet.text(
        {"Lengths of the parts themselves, all updates together: read %.6f, output layer "
         "%.6f, m before %.6f, decay %.6f.",
         "各部分本身的范数（全部更新合计）：作输入 %.6f，输出层 %.6f，此前的 m %.6f，权重衰减 "
         "%.6f。"},
        length(s.all.read), length(s.all.output), length(s.all.before), length(s.all.decay));
}

void write_matrices(Sheet& sheet, const Steps& s) {
    const auto [block, head, query] = s.text.focus;
    sheet.section("matrices",
                  {"Row %td of W_Q and W_K, block %td, head %td",
                   "W_Q 和 W_K 的第 %td 行，第 %td 层，头 %td"},
                  s.channel, block, head);
    sheet.text(
        {"Row i is what component i of the vector is multiplied with. This one moved most "
         "in W_Q.",
         "第 i 行与向量的第 i 个分量相乘。W_Q 里移动最多的就是这一行。"});
    const std::pair<const char*, const Grid*> both[] = {{"W_Q", &s.W_Q}, {"W_K", &s.W_K}};
    for (const auto& [name, rows] : both)
        sheet.matrix(name, with_shape(format("%s[%td]", name, s.channel), {rows->columns}),
                     moments(s), *rows);
    Sheet::Table& table =
        sheet.list("rows_moved",
                   {"‖ΔW_Q‖", {"with the last", "与上次"}, "‖ΔW_K‖", {"with the last", "与上次"}});
    std::vector<Numbers> last;
    for (Index n = 1; n < s.W_Q.rows; ++n) {
        std::vector<Numbers> now;
        std::vector<Sheet::Cell> cells;
        for (const auto& [name, rows] : both) {
            Numbers way = rows->row_copy(n);
            for (std::size_t c = 0; c < way.size(); ++c) way[c] -= rows->row(n - 1)[c];
            const std::size_t which = now.size();
            cells.push_back(length(way));
            cells.push_back(last.empty() ? Sheet::Cell() : Sheet::Cell(cosine(way, last[which])));
            now.push_back(std::move(way));
        }
        last = std::move(now);
        table.add(std::to_string(n), std::move(cells));
    }
}

void write_sight(Sheet& sheet, const Steps& s, const std::string& name) {
    const auto [block, head, query] = s.text.focus;
    sheet.section("attention",
                  {"Where %s looks, block %td, head %td", "“%s”在看哪里，第 %td 层，头 %td"},
                  s.text.tokens[std::size_t(s.asker)], block, head);
    if (s.asker != query)
        sheet.text({"%s is the first of the text and sees only itself; so this is the row of the "
                    "last one.",
                    "“%s”在开头，只看得见自己；所以这里是最后一个字的一行。"},
                   name);
    Labels looked = s.text.labels();
    looked.resize(std::size_t(s.asker + 1));
    sheet.matrix("attention", {}, moments(s), s.attention, looked).show_largest = true;
    sheet.section("next", {"What may follow %s", "“%s”之后的字"}, name);
    if (s.answer >= 0)
        sheet.text(
            {"The text's own next one comes first: %s.", "文字里真正的下一个字排在最前：%s。"},
            s.names.front());
    Labels names(s.names.begin(), s.names.end());
    sheet.matrix("p", {"p(next)", "p(下一个字)"}, moments(s), s.next, names);
}

}  // namespace

Sheet token_sheet(const WorkedTokenSteps& s, const Tokenizer& tokenizer) {
    const std::string& name = s.text.query_token();
    std::string text;
    for (std::size_t i = 0; i < s.text.tokens.size(); ++i)
        text += Index(i) == s.text.focus.query ? "[" + s.text.tokens[i] + "]" : s.text.tokens[i];
    const Index times = std::ssize(s.updates);
    Sheet sheet{
        times == 1
            ? say({"What one training step does to %s, in %s", "训练 1 步，“%s”怎样变化：%s"}, name,
                  text)
            : say({"What %td training steps do to %s, in %s", "训练 %td 步，“%s”怎样变化：%s"},
                  times, name, text)};
    write_updates_made(sheet, s, name);
    write_embedding(sheet, s, name, tokenizer);
    write_parts_of(sheet, s, name);
    write_matrices(sheet, s);
    write_sight(sheet, s, name);
    return sheet;
}

}  // namespace zhuyi
