#include "explain/update.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "autograd/tape.h"
#include "base/check.h"
#include "base/format.h"
#include "base/parallel.h"
#include "train/optimizer.h"
#include "train/schedule.h"

namespace zhuyi {
namespace {

bool same_bits(const Real& a, const Real& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

double power(double base, Index exponent) {
    double result = 1;
    for (; exponent > 0; exponent /= 2, base *= base)
        if (exponent % 2) result *= base;
    return result;
}

// The same roundings in the same order as the kernel, so that the new value is the optimizer's to
// the last bit: the bias corrections go into the learning rate and the root.
void apply(WorkedUpdate& u) {
    flush_denormals();
    const Real g = Real(u.raw) * Real(u.scale);
    const Real rest1 = Real(1 - u.beta1), rest2 = Real(1 - u.beta2);
    u.new_m = std::fma(Real(u.beta1), u.m, rest1 * g);
    u.new_v = std::fma(Real(u.beta2), u.v, rest2 * g * g);
    u.left_1 = 1 - power(u.beta1, u.step), u.left_2 = 1 - power(u.beta2, u.step);
    const Real correction = Real(1 / std::sqrt(u.left_2));
    const Real step = u.new_m / std::fma(std::sqrt(u.new_v), correction, Real(u.epsilon));
    const Real rate = Real(u.learning_rate / u.left_1);
    u.new_value = std::fma(-rate, step, u.value * Real(1 - u.learning_rate * u.decay));
    // what a person follows
    u.g = double(g);
    u.m_hat = double(u.new_m) / u.left_1;
    u.v_hat = double(u.new_v) / u.left_2;
    u.pull = u.learning_rate * u.decay * double(u.value);
    u.push = u.learning_rate * u.m_hat / (std::sqrt(u.v_hat) + u.epsilon);
}

Real element(Parameters& parameters, const WorkedEntry& entry) {
    const Tensor x = parameters.tensor(entry.parameter);
    return x.value[entry.row * x.columns() + entry.column];
}

// Values and moments of another table of the same shape.
void copy_training_state(Parameters& to, Parameters& from) {
    for (const Parameter& p : from.table()) {
        std::ranges::copy(from.value(p), to.value(p).begin());
        std::ranges::copy(from.m(p), to.m(p).begin());
        std::ranges::copy(from.v(p), to.v(p).begin());
    }
}

// The trainer's own step, unwatched, on a copy.
WorkedUpdates::Check training_step(const WorkedTraining& training, const Batch& batch,
                                   const WorkedEntry& W_Q, const WorkedEntry& E) {
    Parameters& before = training.model.parameters;
    Parameters copy(before.table(), true);
    copy_training_state(copy, before);
    Gpt model(training.model.model.config(), copy);
    TrainConfig config = training.config;
    config.accumulate = 1;
    Tape tape(true, config.precision);
    WorkedUpdates::Check check{};
    check.loss =
        update(model, copy, tape, config, training.step, [&](Index) { return batch; }).loss;
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
    u.m = u.new_m = parameters.m(*p)[at];
    u.v = u.new_v = parameters.v(*p)[at];
    if (u.frozen) return u;
    u.raw = double(parameters.grad(*p)[at]);
    u.scale = clip_scale(gradient_norm, config.clip);
    u.learning_rate = learning_rate(training.step, config);
    u.decay = p->decay ? config.weight_decay : 0;
    u.epsilon = config.epsilon;
    u.beta1 = config.beta1, u.beta2 = config.beta2;
    u.step = training.step + 1;
    apply(u);
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
