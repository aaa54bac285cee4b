#include "explain/backward.h"

#include "autograd/tape.h"
#include "model/gpt.h"
#include "model/parameters.h"
#include "ops/cross_entropy.h"
#include "text/tokenizer.h"

#include <algorithm>
#include <cmath>

#include "explain/update_sheet.h"

namespace zhuyi {
namespace {

constexpr std::size_t kLargestLogits = 10;

void follow_loss(WorkedBackward& b, const WorkedModel& model, const WorkedPass& pass,
                 std::span<const Token> targets, std::span<const double> losses) {
    const Grid& logits = pass.values("logits");
    for (std::size_t t = 0; t < targets.size(); ++t) {
        const Token target = targets[t];
        const Numbers p = softmax(logits.row(Index(t)));
        b.predictions.push_back({model.tokenizer.name(target), p[std::size_t(target)], losses[t]});
        b.loss += losses[t];
        if (Index(t) != b.forward.focus.query) continue;
        const Numbers gradient = pass.gradients("logits").row_copy(Index(t));
        for (Token token = 0; token < std::ssize(p); ++token)
            b.logits.push_back({model.tokenizer.name(token), p[std::size_t(token)],
                                token == target ? 1.0 : 0.0, gradient[std::size_t(token)]});
    }
    b.loss /= double(targets.size());
    std::ranges::stable_sort(b.logits, std::ranges::greater(),
                             [](const auto& g) { return std::abs(g.gradient); });
    b.logits.resize(std::min(kLargestLogits, b.logits.size()));
}

void follow_stages(WorkedBackward& b, const WorkedPass& pass) {
    using Place = WorkedBackward::Stage::Place;
    const Index q = b.forward.focus.query;
    const auto stage = [&](Place place, Index block, const std::string& name) {
        b.stages.push_back({place, block, length(pass.gradients(name).row_copy(q))});
    };
    b.d_final_norm = pass.gradients("final_norm").row_copy(q);
    for (Index block = b.forward.config.layers; block-- > 0;) {
        stage(Place::feed_forward, block, block_name(block, "residual.2"));
        stage(Place::attention, block, block_name(block, "residual.1"));
    }
    stage(Place::embedding, -1, "embedding");
}

void follow_embedding(WorkedBackward& b, const WorkedModel& model, const WorkedPass& pass) {
    const WorkedForward& f = b.forward;
    const Index C = f.config.channels, q = f.focus.query;
    const Token token = f.ids[std::size_t(q)];
    const Grid& dx = pass.gradients("embedding");
    b.d_norm_1 = pass.gradients(block_name(f.focus.block, "norm_1")).row_copy(q);
    b.d_input = pass.gradients(input_name(f.focus.block)).row_copy(q);
    b.d_embedding = dx.row_copy(q);
    b.dE.sum = model.gradient("embedding.token").row_copy(token);
    Numbers rest = b.dE.sum, rows;
    for (Index t = 0; t < f.length(); ++t) {
        if (f.ids[std::size_t(t)] != token) continue;
        b.dE.positions.push_back(t);
        rows.insert(rows.end(), dx.row(t).begin(), dx.row(t).end());
        for (Index c = 0; c < C; ++c) rest[std::size_t(c)] -= dx.at(t, c);
    }
    b.dE.from_positions = {std::ssize(b.dE.positions), C, rows};
    if (f.config.tied) b.dE.from_output = rest;
}

}  // namespace

WorkedBackward worked_backward(const WorkedTraining& training, std::span<const Token> ids,
                               std::span<const Token> targets, Focus focus) {
    const WorkedModel& model = training.model;
    focus = WorkedText(model, ids, focus).focus;  // an error comes before the work
    WorkedPass pass;
    Tape tape(true, training.precision());
    const Watching watching(tape, pass);
    model.parameters.forget_gradients();
    const CrossEntropy entropy = model.model.loss(tape, ids, targets, 1, {});
    tape.backward(entropy.mean);
    model.parameters.settle_gradients();

    WorkedBackward b{worked_forward(model, ids, focus, pass)};
    follow_loss(b, model, pass, targets, entropy.each_row);
    follow_stages(b, pass);
    b.attention = worked_attention_backward(model, b.forward, b.forward.attention, pass);
    follow_embedding(b, model, pass);
    const Index W_Q_column = focus.head * b.forward.config.head_size() + b.attention.column;
    b.updates = worked_updates(
        training, {ids, targets, 1},
        {block_name(focus.block, "attention.W_Q"), b.attention.row, W_Q_column},
        {"embedding.token", ids[std::size_t(focus.query)], largest_absolute(b.dE.sum)});
    return b;
}

// ---- the sheet

namespace {

void write_loss(Sheet& sheet, const WorkedBackward& b) {
    sheet.section("loss", {"Backward: the loss", "反向传播：损失"});
    sheet.text(
        {"As in training, every position predicts the character after it; the loss is the "
         "mean of -ln p(target), in nats per token.",
         "和训练时一样，每个位置都预测它后面的字；损失是 -ln p(目标字) "
         "的平均，单位是奈特/token。"});
    Sheet::Table& table = sheet.list("loss", {{"target", "目标"}, "p", "-ln p"});
    const Labels labels = b.forward.labels();
    for (std::size_t t = 0; t < b.predictions.size(); ++t)
        table.add(labels[t], {"→ " + b.predictions[t].target, b.predictions[t].probability,
                              b.predictions[t].loss});
    table.total({"mean", "平均"}, {Sheet::Cell(), Sheet::Cell(), b.loss});
}

void write_logits(Sheet& sheet, const WorkedBackward& b) {
    sheet.section("d_logits", same("dlogits = (p - onehot) / T"));
    sheet.text(
        {"At position %td, in falling order of size. Of the target, (p - 1)/T < 0: its logit "
         "is to rise; of all others, p/T > 0: they are to fall. T = %td, because the loss is "
         "a mean.",
         "位置 %td 处，按绝对值从大到小。目标字 (p - 1)/T < 0，logit 要升；其余 p/T > 0，要降。"
         "除以 T = %td，因为损失是平均值。"},
        b.forward.focus.query, b.forward.length());
    Sheet::Table& table = sheet.list("d_logits", {"p", "onehot", "dlogit"});
    for (const WorkedBackward::LogitGradient& g : b.logits)
        table.add(g.token, {g.probability, g.onehot == 1 ? "1" : "0", g.gradient});
}

void write_stages(Sheet& sheet, const WorkedBackward& b) {
    using Place = WorkedBackward::Stage::Place;
    sheet.section("d_residual", {"Back along the residual connections", "沿残差连接反向传播"});
    sheet.text(
        {"The gradient of x at this position, from the top block down. An addition hands it "
         "on unchanged to both sides; each branch adds what comes back through it. (For a "
         "position that is not the last, later positions' losses are in it too: they "
         "attended here.)",
         "这个位置上 x 的梯度，从最后一层往前。加法把梯度原样传给两边，每个分支再加上从它那里"
         "传回来的一份。（如果不是最后一个位置，里面也有后面各位置的损失：它们注意过这里。）"});
    sheet.matrix("d_final_norm").add("dX_final", b.d_final_norm);
    Sheet::Table& table = sheet.list("d_residual", {"‖dx‖"});
    for (const WorkedBackward::Stage& stage : b.stages) {
        const Words branch =
            stage.place == Place::attention ? Words{"attention", "注意力"} : Words{"FFN", " FFN "};
        table.add(stage.place == Place::embedding
                      ? Text("embedding", "词向量")
                      : say({"after block %td %s", "第 %td 层%s之后"}, stage.block, branch),
                  {stage.gradient});
    }
}

void write_embedding(Sheet& sheet, const WorkedBackward& b) {
    const WorkedForward& f = b.forward;
    const std::string row = "E[" + f.query_token() + "]";
    sheet.section("d_embedding", {"Down to the row of the embedding", "一直传到词向量那一行"});
    sheet.formula({"dX = dQ · W_Qᵀ + dK · W_Kᵀ + dV · W_Vᵀ  (all heads)",
                   "dX = dQ · W_Qᵀ + dK · W_Kᵀ + dV · W_Vᵀ  （所有头）"});
    sheet.formula({"dx = r · (γ·dX - avg(γ·dX) - n · avg(γ·dX · n))  + what passes by",
                   "dx = r · (γ·dX - avg(γ·dX) - n · avg(γ·dX · n))  + 残差连接直接传下来的"});
    Sheet::Table& way = sheet.matrix("d_input");
    way.add("dX", b.d_norm_1);
    way.add(say({"dx, block %td", "dx，第 %td 层"}, f.focus.block), b.d_input);
    way.add({"dx, embedding", "dx，词向量处"}, b.d_embedding);
    if (b.updates.E.frozen)
        return sheet.text(
            {"The embedding is frozen: the gradient ends here.", "词向量被冻结：梯度到此为止。"});
    const Text and_output = f.config.tied
                                ? Text(", and from the output layer, which uses the same row",
                                       "，再加上输出层的一份（输出层用的是同一行）")
                                : Text();
    sheet.text({"The row %1$s collects from every position that holds %2$s%3$s.",
                "%1$s 这一行汇总每个“%2$s”所在位置的 dx%3$s。"},
               row, f.query_token(), and_output);
    Sheet::Table& sum = sheet.matrix("dE");
    const Labels labels = f.labels();
    for (std::size_t i = 0; i < b.dE.positions.size(); ++i)
        sum.add(say({"dx[%s]", "dx[%s]"}, labels[std::size_t(b.dE.positions[i])]),
                b.dE.from_positions.row(Index(i)));
    if (!b.dE.from_output.empty()) sum.add({"output layer", "输出层"}, b.dE.from_output);
    sum.total("d" + row, b.dE.sum);
}

}  // namespace

void write_backward(Sheet& sheet, const WorkedBackward& b) {
    write_loss(sheet, b);
    write_logits(sheet, b);
    write_stages(sheet, b);
    write_attention_backward(sheet, b.forward, b.forward.attention, b.attention);
    write_embedding(sheet, b);
    write_updates(sheet, b.updates, b.loss, b.forward.query_token());
}

}  // namespace zhuyi
