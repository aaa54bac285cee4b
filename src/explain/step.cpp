#include "explain/step.h"

#include <algorithm>
#include <cmath>

#include "autograd/tape.h"
#include "base/format.h"
#include "explain/step_rows.h"
#include "model/gpt.h"
#include "model/kind_words.h"
#include "system/terminal.h"
#include "text/corpus.h"
#include "text/tokenizer.h"
#include "text/utf8.h"
#include "train/config.h"
#include "train/optimizer.h"

namespace zhuyi {
namespace {

double loss_on(const WorkedTraining& training, const Windows& windows) {
    Tape tape(false, training.config.precision);
    double sum = 0;
    for (std::size_t pass = 0; pass < windows.ids.size(); ++pass) {
        tape.reset();
        sum += double(
            training.model.model
                .loss(tape, windows.ids[pass], windows.targets[pass], training.config.batch, {})
                .mean.value[0]);
    }
    return sum / double(windows.ids.size());
}

// Matrices of a block by their kind; what is outside the blocks by its name, norms as one.
void follow_parts(WorkedStep& s, const WorkedModel& model, const std::vector<Grid>& before) {
    for (std::size_t i = 0; i < before.size(); ++i) {
        const Parameter& p = model.parameters.table()[i];
        const bool matrix = p.block >= 0 && p.shape.rank() == 2;
        const bool one_of_many = p.block >= 0 || p.kind == Kind::norm;
        const Text name = one_of_many ? Text(words_of(p.kind).name) : same(p.name);
        const Index block = matrix ? p.block : -1;
        std::vector<WorkedStep::Part>& parts = matrix ? s.blocks : s.others;
        auto part = std::ranges::find_if(parts, [&](const auto& each) {
            return each.name.english == name.english && each.block == block;
        });
        if (part == parts.end()) part = parts.insert(parts.end(), {name, block, 0, 0});
        const Grid after = model.value(p.name);
        double moved = 0, length = 0;
        for (std::size_t k = 0; k < after.values.size(); ++k) {
            const double old = before[i].values[k], d = after.values[k] - old;
            moved += d * d, length += old * old;
        }
        part->moved += moved, part->length += length;
    }
    for (auto* parts : {&s.blocks, &s.others})
        for (WorkedStep::Part& part : *parts)
            part.moved = std::sqrt(part.moved), part.length = std::sqrt(part.length);
}

// How far AdamW moves one weight, in units of η.
void follow_adamw_steps(WorkedStep& s, const WorkedTraining& training,
                        const std::vector<Grid>& before) {
    const Rules rules = make_rules(training.config);
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
        const Parameter& p = training.model.parameters.table()[i];
        if (p.frozen || std::string_view(rule_of(rules, p).name()) != "AdamW") continue;
        const Grid after = training.model.value(p.name);
        for (std::size_t k = 0; k < after.values.size(); ++k) {
            const double moved = std::abs(after.values[k] - before[i].values[k]);
            sum += moved, ++count;
            s.adamw_most = std::max(s.adamw_most, moved);
        }
    }
    const double rate = std::max(s.report.learning_rate, 1e-300);
    s.adamw_mean = sum / std::max(count, 1.0) / rate, s.adamw_most /= rate;
}

}  // namespace

WorkedStep worked_step(const WorkedTraining& training, std::span<const Token> text) {
    const WorkedModel& m = training.model;
    const TrainConfig& config = training.config;
    const Windows windows = draw_windows(training, text, training.step);
    const Grid E_before = m.value("embedding.token");
    std::vector<Grid> before;
    for (const Parameter& p : m.parameters.table()) before.push_back(m.value(p.name));

    WorkedStep s{};
    s.batch = config.batch, s.passes = config.accumulate, s.clip = config.clip;
    s.muon = config.optimizer == UpdateRule::muon, s.over = training.over;
    s.loss_before = loss_on(training, windows);
    InputGradients inputs(windows, m.model.config());
    Tape tape(true, config.precision);
    const Watching watching(tape, inputs);
    s.report = update(
        m.model, m.parameters, training.optimizer, tape, config, training.step,
        [&](Index pass) -> Batch {
            return {windows.ids[std::size_t(pass)], windows.targets[std::size_t(pass)], s.batch};
        });
    s.gradient_scale = clip_scale(s.report.gradient_norm, config.clip);
    s.loss_after = loss_on(training, windows);
    for (const auto& ids : windows.ids)
        for (Index b = 0; b < s.batch; ++b)
            s.texts.push_back(utf8::repaired(m.tokenizer.decode(std::span(ids).subspan(
                std::size_t(b * windows.length), std::size_t(windows.length)))));
    s.rows = moved_rows(m, windows, inputs, E_before, training.step == 0);
    follow_parts(s, m, before);
    follow_adamw_steps(s, training, before);
    return s;
}

// ---- the sheet

namespace {

void write_summary(Sheet& sheet, const WorkedStep& s) {
    sheet.section("step", {"The step", "这一步"});
    sheet.text({"Update %td, made on a copy in memory: the run is as it was.",
                "第 %td 次更新，在内存里的副本上进行：训练目录没有变。"},
               s.report.step);
    Sheet::Table& table = sheet.list("step");
    const auto row = [&](Label label, double value, Text note) {
        table.add(std::move(label), {Sheet::Cell::exact(value), std::move(note)});
    };
    row({"loss before", "之前的损失"}, s.loss_before,
        {"on this batch, nats per token, dropout off", "在这个批次上，奈特/token，不用 dropout"});
    row({"loss after", "之后的损失"}, s.loss_after,
        say({"change %+.6f", "变化 %+.6f"}, s.loss_after - s.loss_before));
    row({"loss in the step", "这一步中的损失"}, s.report.loss,
        {"as training saw it, with its dropout", "训练时看到的，带 dropout"});
    row({"learning rate η", "学习率 η"}, s.report.learning_rate,
        s.over ? Text("a tenth of the peak: the run is done, its own is 0",
                      "峰值的十分之一：训练已经完成，它自己的学习率是 0")
               : Text());
    row({"gradient norm", "梯度范数"}, s.report.gradient_norm,
        say({"limit %g, times %.6g", "上限 %g，乘以 %.6g"}, s.clip, s.gradient_scale));
}

void write_batch(Sheet& sheet, const WorkedStep& s) {
    constexpr std::size_t kTexts = 8;
    sheet.section("batch", {"What it read", "它读了什么"});
    sheet.text({"%td tokens: %td pieces of text in each of %td passes.",
                "%td 个 token：每次前向传播 %td 段文字，共 %td 次。"},
               s.report.tokens, s.batch, s.passes);
    Sheet::Table& table = sheet.list("batch");
    for (std::size_t i = 0; i < std::min(kTexts, s.texts.size()); ++i) {
        std::string line;
        for (char c : s.texts[i]) line += c == '\n' ? std::string("⏎") : std::string(1, c);
        table.add(std::to_string(i), {cut_to_width(line, 66)});
    }
    if (s.texts.size() > kTexts) table.add("…", std::vector<Sheet::Cell>());
}

void write_parts(Sheet& sheet, const WorkedStep& s) {
    sheet.section("blocks", {"How far the matrices moved", "各矩阵移动了多少"});
    if (s.muon)
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
             "η；"
             "所以比例比范数更说明问题。"});
    sheet.text({"In this step AdamW moves a weight by %.2f η on average, by %.2f η at most.",
                "这一步里，由 AdamW 更新的权重平均移动 %.2f η，最多 %.2f η。"},
               s.adamw_mean, s.adamw_most);
    Sheet::Table& moved = sheet.matrix("moved", "‖ΔW‖");
    Sheet::Table& share = sheet.matrix("share", "‖ΔW‖ / ‖W‖");
    for (Sheet::Table* table : {&moved, &share}) {
        for (const WorkedStep::Part& part : s.blocks) {
            if (part.block == std::ssize(table->rows))
                table->add(say({"block %td", "第 %td 层"}, part.block), std::vector<Sheet::Cell>());
            if (part.block == 0) table->columns.push_back(part.name);
            table->rows.back().cells.push_back(table == &moved ? part.moved : part.share());
        }
    }
    Sheet::Table& others = sheet.list("others", {"‖ΔW‖", "‖ΔW‖ / ‖W‖"});
    others.caption = {"The rest", "其余"};
    for (const WorkedStep::Part& part : s.others) others.add(part.name, {part.moved, part.share()});
}

}  // namespace

Sheet step_sheet(const WorkedStep& s) {
    Sheet sheet{say({"One training step: %td → %td", "训练一步：%td → %td"}, s.report.step - 1,
                    s.report.step)};
    write_summary(sheet, s);
    write_batch(sheet, s);
    write_rows(sheet, s.rows, s.report.step == 1);
    write_parts(sheet, s);
    return sheet;
}

}  // namespace zhuyi
