#include "explain/sheet_step.h"

#include <algorithm>

#include "base/format.h"
#include "system/terminal.h"

namespace zhuyi {
namespace {

constexpr std::size_t kRows = 15, kTexts = 8;

void write_summary(SheetWriter& w, const WorkedStep& s, const TrainConfig& c) {
    w.section("step", "The step", "这一步");
    w.text(format("Update %td, made on a copy in memory: the run is as it was.", s.report.step),
           format("第 %td 次更新，在内存里的副本上进行：运行目录没有变。", s.report.step));
    Sheet::Table table{"step", "", {}, {}, false};
    const auto row = [&](const std::string& label, double value, const std::string& note) {
        table.rows.push_back({label, {Sheet::Cell::exact(value), note}});
    };
    row(w.in("loss before", "之前的损失"), s.loss_before,
        w.in("on this batch, nats per token, dropout off", "在这个批上，奈特/token，不用 dropout"));
    row(w.in("loss after", "之后的损失"), s.loss_after,
        format(w.language() == Language::chinese ? "变化 %+.6f" : "change %+.6f",
               s.loss_after - s.loss_before));
    row(w.in("loss in the step", "这一步中的损失"), s.report.loss,
        w.in("as training saw it, with its dropout", "训练时看到的，带 dropout"));
    row(w.in("learning rate η", "学习率 η"), s.report.learning_rate, "");
    row(w.in("gradient, length", "梯度的长度"), s.report.gradient_norm,
        format(w.language() == Language::chinese ? "上限 %g，乘以 %.6g" : "limit %g, times %.6g",
               c.clip, s.gradient_scale));
    w.table(std::move(table));
}

void write_batch(SheetWriter& w, const WorkedStep& s) {
    w.section("batch", "What it read", "它读了什么");
    w.text(format("%td tokens: %td pieces of text in each of %td passes.", s.report.tokens, s.batch,
                  s.passes),
           format("%td 个 token：每次前向 %td 段文字，共 %td 次。", s.report.tokens, s.batch,
                  s.passes));
    Sheet::Table table{"batch", "", {}, {}, false};
    for (std::size_t i = 0; i < std::min(kTexts, s.texts.size()); ++i) {
        std::string line;
        for (char c : s.texts[i]) line += c == '\n' ? std::string("⏎") : std::string(1, c);
        table.rows.push_back({format("%zu", i), {cut_to_width(line, 66)}});
    }
    if (s.texts.size() > kTexts) table.rows.push_back({"…", {}});
    w.table(std::move(table));
}

void write_rows(SheetWriter& w, const WorkedStep& s) {
    w.section("rows", "Rows of the embedding that moved most", "动得最多的词向量");
    if (s.rows.empty() || s.rows.front().moved == 0)
        return w.text("None moved: the embedding is frozen.", "都没有动：词向量被冻结了。");
    const bool tied = std::any_of(s.rows.begin(), s.rows.end(),
                                  [](const auto& row) { return row.from_output > 0; });
    w.text(
        "in and out: how often the batch reads the token and how often it is the answer. Beside "
        "them the length of the gradient that came from the places that read it" +
            std::string(tied ? " and from the output layer, which uses the same table" : "") +
            ", and the place that gave most.",
        "读、答：这个 token 在批里被读到几次、作为答案几次。后面是读到它的各处传回的梯度长度" +
            std::string(tied ? "、输出层（同一张表）传回的梯度长度" : "") +
            "，以及贡献最大的那一处。");
    Sheet::Table table{
        "rows",
        "",
        {"‖ΔE‖", w.in("in", "读"), w.in("out", "答"), w.in("from inputs", "读处梯度"),
         w.in("from output", "输出层"), w.in("most from", "贡献最大处")},
        {},
        false};
    for (std::size_t i = 0; i < std::min(kRows, s.rows.size()); ++i) {
        const WorkedStep::Row& row = s.rows[i];
        table.rows.push_back({row.name,
                              {row.moved, Sheet::Cell::exact(double(row.inputs)),
                               Sheet::Cell::exact(double(row.targets)), row.from_inputs,
                               row.from_output, row.example}});
    }
    w.table(std::move(table));
    const auto absent = [](const auto& row) { return row.inputs == 0 && row.targets == 0; };
    const auto unread = std::find_if(s.rows.begin(), s.rows.end(), absent);
    const Index count = std::count_if(s.rows.begin(), s.rows.end(), absent);
    if (unread == s.rows.end()) return;
    w.text(
        format("%td tokens were not in the batch at all; of them %s moved most, by %.6f: by what "
               "AdamW remembers (m), by decay, and, with a tied output, by being a wrong answer "
               "everywhere.",
               count, unread->name.c_str(), unread->moved),
        format(
            "有 %td 个 token 根本不在这个批里；其中动得最多的是 %s：%.6f。原因是 AdamW 记着的动量 "
            "m、权重衰减，以及输出层共用这张表时，它在每一处都是“错误答案”。",
            count, unread->name.c_str(), unread->moved));
}

void write_parts(SheetWriter& w, const WorkedStep& s) {
    w.section("blocks", "How far the matrices moved", "各矩阵动了多少");
    w.text(
        "‖ΔW‖, and as a share of ‖W‖. AdamW moves every weight by η at most, or little more, "
        "whatever the size of "
        "its "
        "gradient; so the shares tell more than the lengths.",
        "‖ΔW‖，以及它占 ‖W‖ 的比例。不管梯度多大，AdamW 让每个权重大约动 "
        "η；所以比例比长度更说明问题。");
    Sheet::Table moved{"moved", "‖ΔW‖", {}, {}}, share{"share", "‖ΔW‖ / ‖W‖", {}, {}};
    for (const WorkedStep::Part& part : s.blocks) {
        if (moved.rows.empty() || part.name == s.blocks.front().name)
            for (Sheet::Table* table : {&moved, &share})
                table->rows.push_back({w.in("block", "块") + format(" %td", part.block), {}});
        if (part.block == 0)
            for (Sheet::Table* table : {&moved, &share}) table->columns.push_back(part.name);
        moved.rows.back().cells.push_back(part.moved);
        share.rows.back().cells.push_back(part.length > 0 ? part.moved / part.length : 0.0);
    }
    w.table(std::move(moved));
    w.table(std::move(share));
    Sheet::Table others{"others", w.in("The rest", "其余"), {"‖ΔW‖", "‖ΔW‖ / ‖W‖"}, {}, false};
    for (const WorkedStep::Part& part : s.others)
        others.rows.push_back(
            {part.name, {part.moved, part.length > 0 ? part.moved / part.length : 0.0}});
    w.table(std::move(others));
}

}  // namespace

Sheet step_sheet(const WorkedStep& s, const TrainConfig& config, Language language) {
    SheetWriter w(language,
                  format("One training step: %td → %td", s.report.step - 1, s.report.step),
                  format("训练一步：%td → %td", s.report.step - 1, s.report.step));
    write_summary(w, s, config);
    write_batch(w, s);
    write_rows(w, s);
    write_parts(w, s);
    return w.finish();
}

}  // namespace zhuyi
