#include "explain/step.h"

#include <algorithm>
#include <cmath>

#include "autograd/tape.h"
#include "base/utf8.h"
#include "model/gpt.h"
#include "model/kind_words.h"
#include "model/parameters.h"
#include "system/printable.h"
#include "text/corpus.h"
#include "text/tokenizer.h"
#include "train/config.h"
#include "train/optimizer.h"

namespace zhuyi {
namespace {

double loss_on(const WorkedTraining& training, const Windows& windows) {
    Tape tape(false, training.config.precision);
    double sum = 0;
    for (Index pass = 0; pass < windows.ids.count(); ++pass) {
        tape.reset();
        const Batch batch = windows.of_pass(pass);
        sum += double(training.model.model.loss(tape, batch.ids, batch.targets, batch.texts, {})
                          .mean.value[0]);
    }
    return sum / double(windows.ids.size());
}

void write_summary(Sheet& sheet, const WorkedTraining& training, const StepReport& report,
                   double loss_before, double loss_after) {
    sheet.section("step", {"The step", "这一步"});
    sheet.text({"Update %td, made on a copy in memory: the run is as it was.",
                "第 %td 次更新，在内存里的副本上进行：训练目录没有变。"},
               report.step);
    Sheet::Table& table = sheet.list("step");
    const auto row = [&](Label label, double value, Label note) {
        table.add(std::move(label), {Cell::exact(value), std::move(note)});
    };
    row({"loss before", "之前的损失"}, loss_before,
        {"on this batch, nats per token, dropout off", "在这个批次上，奈特/token，不用 dropout"});
    row({"loss after", "之后的损失"}, loss_after,
        say({"change %+.6f", "变化 %+.6f"}, loss_after - loss_before));
    row({"loss in the step", "这一步中的损失"}, report.loss,
        {"as training saw it, with its dropout", "训练时看到的，带 dropout"});
    row({"learning rate η", "学习率 η"}, report.learning_rate,
        training.over ? say({"a tenth of the peak: the run is done, its own is 0",
                             "峰值的十分之一：训练已经完成，它自己的学习率是 0"})
                      : std::string());
    row({"gradient norm", "梯度范数"}, report.gradient_norm,
        say({"limit %g, times %.6g", "上限 %g，乘以 %.6g"}, training.config.clip,
            clip_scale(report.gradient_norm, training.config.clip)));
}

void write_batch(Sheet& sheet, const WorkedTraining& training, const StepReport& report,
                 const Windows& windows) {
    constexpr Index kTexts = 8;
    const Index T = windows.length, B = windows.ids[0].count() / T;
    sheet.section("batch", {"What it read", "它读了什么"});
    sheet.text({"%td tokens: %td pieces of text in each of %td passes.",
                "%td 个 token：每次前向传播 %td 段文字，共 %td 次。"},
               report.tokens, B, windows.ids.count());
    Sheet::Table& table = sheet.list("batch");
    for (Index i = 0; i < std::min(kTexts, B * windows.ids.count()); ++i) {
        const auto window = View(std::span(windows.ids[i / B])).part(i % B * T, T);
        std::string line;
        for (char c : utf8::repaired(training.model.tokenizer.decode(window)))
            line += c == '\n' ? std::string("⏎") : std::string(1, c);
        table.add(std::to_string(i), {cut_to_width(line, 66)});
    }
    if (B * windows.ids.count() > kTexts) table.add("…", std::vector<Cell>());
}

// Names the token that moved most of those that the batch does not have, and says why it moved.
void write_unread(Sheet& sheet, const WorkedTraining& training, const Windows& windows,
                  const List<Token>& order, const Numbers& moved) {
    const bool first = training.step == 0;
    const Tokenizer& tokenizer = training.model.tokenizer;
    const auto absent = [&](Token token) {
        return windows.times_read(token) == 0 && windows.times_asked(token) == 0;
    };
    const auto unread = std::ranges::find_if(order, absent);
    if (unread == order.end()) return;
    const std::string why =
        first ? say({"with a tied output, by being a wrong answer everywhere (m is still 0)",
                     "输出层共用这张表时，它在每一处都是“错误答案”（m 还是 0，谈不上记忆）"})
              : say({"by what AdamW remembers (m), by decay, and, with a tied output, by being a "
                     "wrong answer everywhere",
                     "AdamW 记着的一阶矩 "
                     "m、权重衰减，以及输出层共用这张表时，它在每一处都是“错误答案”"});
    sheet.text(
        {"%td tokens were not in the batch at all; of them %s stands first, moved by %.6f: %s.",
         "有 %td 个 token 根本不在这个批次里；其中排在最前的是 %s，移动了 %.6f。原因：%s。"},
        std::ranges::count_if(order, absent), tokenizer.name(*unread), moved[*unread], why);
}

// Says which rows of the token embedding moved, and what moved them. `before` is the whole table E.
void write_rows(Sheet& sheet, const WorkedTraining& training, const Windows& windows,
                const InputGradients& inputs, const Grid& before) {
    constexpr Index kRows = 15;
    const bool first = training.step == 0;
    const Tokenizer& tokenizer = training.model.tokenizer;
    const Grid after = training.model.value("embedding.token");
    const Grid gradient = training.model.gradient("embedding.token");
    Numbers moved, pulled;
    for (Token token = 0; token < before.rows; ++token) {
        moved.push_back(distance(after.row(token), before.row(token)));
        pulled.push_back(length(gradient.row(token)));
    }
    // In the very first step AdamW moves all rows by about as much.
    const List<Token> order = by_size(first ? pulled : moved, before.rows);
    sheet.section(
        "rows", first ? say({"Rows of the embedding with the largest gradient", "梯度最大的词向量"})
                      : say({"Rows of the embedding that moved most", "移动最多的词向量"}));
    if (moved[order[0]] == 0)
        return sheet.text({"None moved: the embedding is frozen.", "都没有移动：词向量被冻结了。"});
    if (first)
        sheet.text(
            {"In the first step m and v are still 0, so that m̂ / √v̂ = g / |g| is 1 or -1: AdamW "
             "moves each weight by about η, however large its gradient is, and all rows about as "
             "far. So they stand here in the order of their gradient.",
             "第一步之前 m、v 都是 0，所以 m̂ / √v̂ = g / |g|，等于 1 或 -1：不论梯度大小，AdamW 让"
             "每个权重都移动约 η，各行移动得几乎一样远。所以这里按梯度的范数排列。"});
    const bool tied = training.model.model.config().tied;
    sheet.text(
        {"in and out: how often the batch has the token as input and as target. Beside them "
         "the norm of the gradient that came from the positions that read it%s, and the "
         "position that gave most.",
         "作输入、作目标：这个 token 在批次里作输入几次、作目标几次。后面是读到它的各处传回的"
         "梯度范数%s，以及贡献最大的那一处。"},
        tied ? say({" and from the output layer, which uses the same table",
                    "、输出层（同一张表）传回的梯度范数"})
             : std::string());
    Sheet::Table& table = sheet.list("rows", {"‖ΔE‖",
                                              {"gradient", "梯度"},
                                              {"in", "作输入"},
                                              {"out", "作目标"},
                                              {"from inputs", "输入处的梯度"},
                                              {"from output", "输出层"},
                                              {"most from", "贡献最大的一处"}});
    for (Index i = 0; i < std::min(kRows, order.count()); ++i) {
        const Token token = order[i];
        table.add(tokenizer.name(token),
                  {moved[token], pulled[token], Cell::exact(double(windows.times_read(token))),
                   Cell::exact(double(windows.times_asked(token))), length(inputs.sum(token)),
                   tied ? distance(gradient.row(token), inputs.sum(token)) : 0,
                   inputs.strongest(token, tokenizer)});
    }
    write_unread(sheet, training, windows, order, moved);
}

// Returns how far AdamW moves one weight, in units of η: on average, and at most.
std::pair<double, double> adamw_steps(const WorkedTraining& training, const StepReport& report,
                                      const List<Grid>& before) {
    const Rules rules = make_rules(training.config);
    const std::vector<Parameter>& table = training.model.parameters.table();
    double sum = 0, count = 0, most = 0;
    for (Index i = 0; i < before.count(); ++i) {
        const Parameter& p = table[std::size_t(i)];
        if (p.frozen || std::string_view(rule_of(rules, p).name()) != "AdamW") continue;
        const Grid after = training.model.value(p.name);
        for (Index k = 0; k < after.values.count(); ++k) {
            const double moved = std::abs(after.values[k] - before[i].values[k]);
            sum += moved, ++count;
            most = std::max(most, moved);
        }
    }
    const double rate = std::max(report.learning_rate, 1e-300);
    return {sum / std::max(count, 1.0) / rate, most / rate};
}

// A parameter, or several that belong together, with ‖ΔW‖ and with ‖W‖ before the step.
struct Part {
    std::string name;
    Index block;  // -1 outside the blocks
    double moved = 0, length = 0;
};

// Groups the matrices of a block by their kind, and what lies outside the blocks by its name; all
// norms are one part.
List<Part> parts_of(const WorkedModel& model, const List<Grid>& before) {
    List<Part> parts;
    for (Index i = 0; i < before.count(); ++i) {
        const Parameter& p = model.parameters.table()[std::size_t(i)];
        const bool one_of_many = p.block >= 0 || p.kind == Kind::norm;
        const std::string name = one_of_many ? say(words_of(p.kind).name) : p.name;
        const Index block = p.shape.rank() == 2 ? p.block : -1;
        auto part = std::ranges::find_if(
            parts, [&](const Part& each) { return each.name == name && each.block == block; });
        if (part == parts.end()) part = parts.insert(parts.end(), {name, block});
        const Numbers change = difference(model.value(p.name).values, before[i].values);
        part->moved += dot(change, change);
        part->length += dot(before[i].values, before[i].values);
    }
    for (Part& part : parts)
        part.moved = std::sqrt(part.moved), part.length = std::sqrt(part.length);
    return parts;
}

void write_parts(Sheet& sheet, const WorkedTraining& training, const StepReport& report,
                 const List<Grid>& before) {
    sheet.section("blocks", {"How far the matrices moved", "各矩阵移动了多少"});
    if (training.config.optimizer == UpdateRule::muon)
        sheet.text(
            {"‖ΔW‖, and as a share of ‖W‖. The size of a step hardly depends on the size of "
             "the gradient: Muon moves a matrix W_Q … W_2 about equally far along each of "
             "its directions, so ‖ΔW‖ is at most about 0.2 η √(in · out); AdamW moves every "
             "other weight by hardly more than η. So the shares tell more than the lengths.",
             "‖ΔW‖，以及它占 ‖W‖ 的比例。步长与梯度大小几乎无关：Muon 让矩阵 W_Q … W_2 "
             "在每个方向上移动得差不多远，‖ΔW‖ 大致不超过 0.2 η √(in · out)；其余权重由 AdamW "
             "更新，移动几乎不超过 η。所以比例比范数更说明问题。"});
    else
        sheet.text(
            {"‖ΔW‖, and as a share of ‖W‖. The size of AdamW's step hardly depends on the size of "
             "the gradient: a weight moves by hardly more than η. So the shares tell more than "
             "the lengths.",
             "‖ΔW‖，以及它占 ‖W‖ 的比例。AdamW 的步长与梯度大小几乎无关，每个权重的移动几乎不超过 "
             "η；所以比例比范数更说明问题。"});
    const auto [mean, most] = adamw_steps(training, report, before);
    sheet.text({"In this step AdamW moves a weight by %.2f η on average, by %.2f η at most.",
                "这一步里，由 AdamW 更新的权重平均移动 %.2f η，最多 %.2f η。"},
               mean, most);
    Sheet::Table& moved = sheet.matrix("moved", "‖ΔW‖");
    Sheet::Table& share = sheet.matrix("share", "‖ΔW‖ / ‖W‖");
    Sheet::Table& others = sheet.list("others", {"‖ΔW‖", "‖ΔW‖ / ‖W‖"});
    others.caption = {"The rest", "其余"};
    for (const Part& part : parts_of(training.model, before)) {
        const double ratio = part.length > 0 ? part.moved / part.length : 0;
        if (part.block < 0) {
            others.add(part.name, {part.moved, ratio});
            continue;
        }
        for (const auto& [table, number] :
             {std::pair(&moved, part.moved), std::pair(&share, ratio)}) {
            if (part.block == std::ssize(table->rows))
                table->add(say({"block %td", "第 %td 层"}, part.block), std::vector<Cell>());
            if (part.block == 0) table->columns.push_back(part.name);
            table->rows.back().cells.push_back(number);
        }
    }
}

}  // namespace

Sheet step_sheet(const WorkedTraining& training, std::span<const Token> text) {
    const WorkedModel& m = training.model;
    const Windows windows = draw_windows(training, text, training.step);
    const Grid E_before = m.value("embedding.token");
    List<Grid> before;
    for (const Parameter& p : m.parameters.table()) before.push_back(m.value(p.name));
    const double loss_before = loss_on(training, windows);
    InputGradients inputs(windows, m.model.config());
    const StepReport report = make_update(training, training.step, windows, inputs);
    Sheet sheet{
        say({"One training step: %td → %td", "训练一步：%td → %td"}, report.step - 1, report.step)};
    write_summary(sheet, training, report, loss_before, loss_on(training, windows));
    write_batch(sheet, training, report, windows);
    write_rows(sheet, training, windows, inputs, E_before);
    write_parts(sheet, training, report, before);
    return sheet;
}

}  // namespace zhuyi
