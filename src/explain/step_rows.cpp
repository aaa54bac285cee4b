#include "explain/step_rows.h"

#include <algorithm>

#include "model/gpt.h"
#include "text/tokenizer.h"
#include "train/config.h"

namespace zhuyi {

Windows draw_windows(const WorkedTraining& training, std::span<const Token> text, Index step) {
    const TrainConfig& c = training.config;
    Windows windows{{}, {}, training.model.model.config().context};
    Batches batches(text, c, windows.length);
    const DrawBatch draw = batches.of_step(step);
    for (Index pass = 0; pass < c.accumulate; ++pass) {
        const Batch batch = draw(pass);
        windows.ids.emplace_back(batch.ids.begin(), batch.ids.end());
        windows.targets.emplace_back(batch.targets.begin(), batch.targets.end());
    }
    return windows;
}

InputGradients::InputGradients(const Windows& windows, const GptConfig& config)
    : windows_(windows),
      sums_(config.vocabulary, config.channels),
      best_(std::size_t(config.vocabulary)) {}

void InputGradients::gradient(std::string_view, const Tensor& x, In dx) {
    const Index C = x.columns();
    const std::vector<Token>& ids = windows_.ids[std::size_t(pass_)];
    for (std::size_t i = 0; i < ids.size(); ++i) {
        double square = 0;
        for (Index c = 0; c < C; ++c) {
            const double d = double(dx[i * std::size_t(C) + std::size_t(c)]);
            sums_.at(ids[i], c) += d;
            square += d * d;
        }
        Best& best = best_[std::size_t(ids[i])];
        if (square > best.square) best = {square, std::size_t(pass_), i};
    }
}

std::string InputGradients::strongest(Token token, const Tokenizer& tokenizer) const {
    constexpr Index kSide = 6;
    const Best& best = best_[std::size_t(token)];
    if (best.square < 0) return "";
    const Index T = windows_.length, place = Index(best.position) % T;
    const Index from = std::max<Index>(place - kSide, 0), to = std::min(place + kSide + 1, T);
    const auto window =
        std::span(windows_.ids[best.pass]).subspan(best.position - std::size_t(place));
    std::string text = from > 0 ? "…" : "";
    for (Index i = from; i < to; ++i) {
        const std::string name = tokenizer.name(window[std::size_t(i)]);
        text += i == place ? "[" + name + "]" : name;
    }
    return text + (to < T ? "…" : "");
}

std::vector<WorkedStep::Row> moved_rows(const WorkedModel& model, const Windows& windows,
                                        const InputGradients& inputs, const Grid& before,
                                        bool first) {
    const Grid after = model.value("embedding.token"), gradient = model.gradient("embedding.token");
    const auto counted = [&](const std::vector<std::vector<Token>>& passes) {
        std::vector<Index> times(std::size_t(before.rows), 0);
        for (const auto& ids : passes)
            for (Token id : ids) ++times[std::size_t(id)];
        return times;
    };
    const std::vector<Index> read = counted(windows.ids), asked = counted(windows.targets);
    std::vector<WorkedStep::Row> rows;
    for (Token token = 0; token < before.rows; ++token) {
        const auto from_inputs = inputs.sum(token);
        rows.push_back({token, model.tokenizer.name(token),
                        distance(after.row(token), before.row(token)), length(gradient.row(token)),
                        read[std::size_t(token)], asked[std::size_t(token)], length(from_inputs), 0,
                        inputs.strongest(token, model.tokenizer)});
        if (model.model.config().tied)
            rows.back().from_output = distance(gradient.row(token), from_inputs);
    }
    std::ranges::stable_sort(rows, std::ranges::greater(),
                             first ? &WorkedStep::Row::gradient : &WorkedStep::Row::moved);
    return rows;
}

// ---- the sheet

void write_rows(Sheet& sheet, const std::vector<WorkedStep::Row>& rows, bool first) {
    constexpr std::size_t kRows = 15;
    sheet.section(
        "rows", first ? Text("Rows of the embedding with the largest gradient", "梯度最大的词向量")
                      : Text("Rows of the embedding that moved most", "移动最多的词向量"));
    if (rows.empty() || rows.front().moved == 0)
        return sheet.text({"None moved: the embedding is frozen.", "都没有移动：词向量被冻结了。"});
    if (first)
        sheet.text(
            {"In the first step m and v are still 0, so that m̂ / √v̂ = g / |g| is 1 or -1: AdamW "
             "moves each weight by about η, however large its gradient is, and all rows about as "
             "far. So they stand here in the order of their gradient.",
             "第一步之前 m、v 都是 0，所以 m̂ / √v̂ = g / |g|，等于 1 或 -1：不论梯度大小，AdamW "
             "让每个"
             "权重都移动约 η，各行移动得几乎一样远。所以这里按梯度的范数排列。"});
    const bool tied =
        std::ranges::any_of(rows, [](const auto& row) { return row.from_output > 0; });
    sheet.text(
        {"in and out: how often the batch has the token as input and as target. Beside them "
         "the norm of the gradient that came from the positions that read it%s, and the "
         "position that gave most.",
         "作输入、作目标：这个 token 在批次里作输入几次、作目标几次。后面是读到它的各处传回的"
         "梯度范数%s，以及贡献最大的那一处。"},
        tied ? Text(" and from the output layer, which uses the same table",
                    "、输出层（同一张表）传回的梯度范数")
             : Text());
    Sheet::Table& table = sheet.list("rows", {"‖ΔE‖",
                                              {"gradient", "梯度"},
                                              {"in", "作输入"},
                                              {"out", "作目标"},
                                              {"from inputs", "输入处的梯度"},
                                              {"from output", "输出层"},
                                              {"most from", "贡献最大的一处"}});
    for (std::size_t i = 0; i < std::min(kRows, rows.size()); ++i) {
        const WorkedStep::Row& row = rows[i];
        table.add(row.name, {row.moved, row.gradient, Sheet::Cell::exact(double(row.inputs)),
                             Sheet::Cell::exact(double(row.targets)), row.from_inputs,
                             row.from_output, row.example});
    }
    const auto absent = [](const auto& row) { return row.inputs == 0 && row.targets == 0; };
    const auto unread = std::ranges::find_if(rows, absent);
    if (unread == rows.end()) return;
    const Text why =
        first ? Text("with a tied output, by being a wrong answer everywhere (m is still 0)",
                     "输出层共用这张表时，它在每一处都是“错误答案”（m 还是 0，谈不上记忆）")
              : Text(
                    "by what AdamW remembers (m), by decay, and, with a tied output, by being a "
                    "wrong answer everywhere",
                    "AdamW 记着的一阶矩 "
                    "m、权重衰减，以及输出层共用这张表时，它在每一处都是“错误答案”");
    sheet.text(
        {"%td tokens were not in the batch at all; of them %s stands first, moved by %.6f: %s.",
         "有 %td 个 token 根本不在这个批次里；其中排在最前的是 %s，移动了 %.6f。原因：%s。"},
        std::ranges::count_if(rows, absent), unread->name, unread->moved, why);
}

}  // namespace zhuyi
