#include "explain/update.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "autograd/tape.h"
#include "base/check.h"
#include "base/format.h"
#include "base/math.h"
#include "kernels/kernels.h"
#include "model/gpt.h"
#include "train/adamw.h"
#include "train/checkpoint.h"
#include "train/config.h"
#include "train/schedule.h"

namespace zhuyi {
namespace {

bool same_bits(const Real& a, const Real& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

Real element(Parameters& parameters, const WorkedEntry& entry) {
    const Tensor x = parameters.tensor(entry.parameter);
    return x.value[entry.row * x.columns() + entry.column];
}

// The weights, and what the optimizer remembers of them.
void copy_training_state(Trained to, Trained from) {
    for (const Parameter& p : from.parameters.table()) {
        std::ranges::copy(from.parameters.value(p), to.parameters.value(p).begin());
        const auto theirs = from.optimizer->state_of(p), ours = to.optimizer->state_of(p);
        for (std::size_t i = 0; i < ours.size(); ++i)
            std::ranges::copy(theirs[i].values, ours[i].values.begin());
    }
}

// The trainer's own step, unwatched, on a copy.
WorkedUpdates::Check training_step(const WorkedTraining& training, const Batch& batch,
                                   const WorkedEntry& W_Q, const WorkedEntry& E) {
    Parameters& before = training.model.parameters;
    Parameters copy(before.table(), true);
    const auto optimizer = make_optimizer(before.table(), training.config);
    copy_training_state({copy, *optimizer}, {before, training.optimizer});
    Gpt model(training.model.model.config(), copy);
    TrainConfig config = training.config;
    config.accumulate = 1;
    Tape tape(true, config.precision);
    WorkedUpdates::Check check{};
    check.loss = update(model, copy, *optimizer, tape, config, training.step, [&](Index) {
                     return batch;
                 }).loss;
    for (const Parameter& p : before.table()) {
        if (p.frozen) continue;
        const In a = before.grad(p), b = copy.grad(p);
        check.numbers += p.shape.size();
        for (std::size_t i = 0; i < a.size(); ++i) check.different += !same_bits(a[i], b[i]);
    }
    check.W_Q = element(copy, W_Q), check.E = element(copy, E);
    Tape after(false, config.precision);
    check.loss_after =
        double(model.loss(after, batch.ids, batch.targets, batch.texts, {}).mean.value[0]);
    return check;
}

}  // namespace

WorkedUpdate worked_update(const WorkedTraining& training, const WorkedEntry& entry,
                           double gradient_norm) {
    Parameters& parameters = training.model.parameters;
    const TrainConfig& config = training.config;
    const auto p = std::ranges::find(parameters.table(), entry.parameter, &Parameter::name);
    require(p != parameters.table().end(),
            {"worked update: no such parameter", "这次更新：没有这个参数"});
    const std::size_t at = std::size_t(entry.row * p->shape.columns() + entry.column);
    WorkedUpdate u{entry, p->frozen};
    u.value = u.new_value = parameters.value(*p)[at];
    if (u.frozen) return u;
    const auto state = training.optimizer.state_of(*p);  // AdamW's m and v
    u.m = u.new_m = state[0].values[at];
    u.v = u.new_v = state[1].values[at];
    const Real gradient = parameters.grad(*p)[at];
    const double scale = clip_scale(gradient_norm, config.clip);
    const AdamWStep s = AdamW::numbers(
        config, *p, {training.step + 1, learning_rate(training.step, config), scale});
    kernels().adamw(&u.new_value, &gradient, &u.new_m, &u.new_v, 1, s);  // as in training
    // What the sheet shows between the old value and the new one.
    u.raw = double(gradient), u.scale = scale;
    u.g = double(gradient * Real(scale));
    u.learning_rate = s.learning_rate, u.decay = s.weight_decay, u.epsilon = s.epsilon;
    u.beta1 = s.beta1, u.beta2 = s.beta2, u.step = s.step;
    u.left_1 = 1 - math::power(u.beta1, double(u.step));
    u.left_2 = 1 - math::power(u.beta2, double(u.step));
    u.m_hat = double(u.new_m) / u.left_1;
    u.v_hat = double(u.new_v) / u.left_2;
    u.pull = u.learning_rate * u.decay * double(u.value);
    u.push = u.learning_rate * u.m_hat / (std::sqrt(u.v_hat) + u.epsilon);
    return u;
}

WorkedUpdates worked_updates(const WorkedTraining& training, const Batch& batch,
                             const WorkedEntry& W_Q, const WorkedEntry& E) {
    Workspace workspace;
    const double norm = gradient_norm(training.model.parameters, workspace);
    return {norm, training.config.clip, worked_update(training, W_Q, norm),
            worked_update(training, E, norm), training_step(training, batch, W_Q, E)};
}

// ---- the sheet

namespace {

void write_adamw(Sheet& sheet, const WorkedUpdate& u, const std::string& name) {
    if (u.frozen)
        return sheet.text(
            {"%s is frozen: training leaves it as it is.", "%s 被冻结：训练不改变它。"}, name);
    Sheet::Table& table = sheet.list("adamw", {name});
    const auto line = [&](Label label, double value) {
        table.add(std::move(label), {Sheet::Cell::exact(value)});
    };
    line("w", double(u.value));
    line({"gradient", "梯度"}, u.raw);
    line(say({"g = gradient · %.6g", "g = 梯度 · %.6g"}, u.scale), u.g);
    line({"m before", "原来的 m"}, double(u.m));
    line({"v before", "原来的 v"}, double(u.v));
    line(format("m = %g m + %g g", u.beta1, 1 - u.beta1), double(u.new_m));
    line(format("v = %g v + %g g²", u.beta2, 1 - u.beta2), double(u.new_v));
    line(format("m̂ = m / (1 - β1^%td) = m / %.6g", u.step, u.left_1), u.m_hat);
    line(format("v̂ = v / (1 - β2^%td) = v / %.6g", u.step, u.left_2), u.v_hat);
    line(format("η λ w = %.4g · %g · w", u.learning_rate, u.decay), u.pull);
    line("η m̂ / (√v̂ + ε)", u.push);
    table.total("w - η λ w - η m̂ / (√v̂ + ε)", {Sheet::Cell::exact(double(u.new_value))});
}

void write_check(Sheet& sheet, const WorkedUpdates& u, double loss, const std::string& W_Q,
                 const std::string& E) {
    const WorkedUpdates::Check& check = u.check;
    sheet.section("check", {"The check: a real training step", "与真正的训练步核对"});
    sheet.text(
        {"The trainer's own step, run on a copy of this state in memory with this text as "
         "its batch, and with nobody watching:",
         "在内存里的一份副本上，用训练器的同一段代码、以这段文字为一个批次训练一步："});
    Sheet::Table& table =
        sheet.list("check", {{"this sheet", "本表"}, {"training step", "训练一步"}, ""});
    const auto verdict = [](bool same) {
        return same ? Text("the same bits", "每一位都相同") : Text("DIFFERENT", "不同");
    };
    const auto compare = [&](Label label, double here, double there) {
        table.add(std::move(label),
                  {Sheet::Cell::exact(here), Sheet::Cell::exact(there), verdict(here == there)});
    };
    compare({"loss", "损失"}, loss, check.loss);
    table.add({"gradients", "梯度"},
              {grouped(check.numbers), grouped(check.numbers - check.different),
               verdict(check.different == 0)});
    compare(W_Q, double(u.W_Q.new_value), double(check.W_Q));
    compare(E, double(u.E.new_value), double(check.E));
    sheet.text({"Loss on this text after the step: %.4f (before: %.4f).",
                "这一步之后，这段文字上的损失：%.4f（之前 %.4f）。"},
               check.loss_after, check.loss);
}

}  // namespace

void write_updates(Sheet& sheet, const WorkedUpdates& u, double loss, const std::string& token) {
    const std::string W_Q = format("W_Q[%td,%td]", u.W_Q.row, u.W_Q.column);
    const std::string E = format("E[%s][%td]", token.c_str(), u.E.column);
    sheet.section("adamw", {"AdamW: one weight of W_Q, one of the embedding",
                            "AdamW：W_Q 里一个数，词向量里一个数"});
    sheet.text({"All gradients together have length %.4f; the limit (clip) is %g, so each is "
                "multiplied by %.6g first. m̂ and v̂ take back the pull of m and v towards their "
                "start at 0; decay (λ) acts on the weight itself, not through the gradient.",
                "全部梯度合起来的范数是 %.4f，上限（clip）是 %g，所以先统一乘以 %.6g（梯度裁剪）。"
                "m̂、v̂ 修正 m、v 从 0 起步造成的偏小；权重衰减 λ 直接作用在权重上，不经过梯度。"},
               u.gradient_norm, u.clip, u.W_Q.frozen ? u.E.scale : u.W_Q.scale);
    write_adamw(sheet, u.W_Q, W_Q);
    write_adamw(sheet, u.E, E);
    write_check(sheet, u, loss, W_Q, E);
}

}  // namespace zhuyi
