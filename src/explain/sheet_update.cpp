// The end of the way back: AdamW, and the step of the trainer itself.
#include <cmath>

#include "base/format.h"
#include "explain/sheet_backward.h"

namespace zhuyi {
namespace {

std::string entry_name(const WorkedBackward& b, const WorkedUpdate& u) {
    return u.parameter == "embedding.token"
               ? format("E[%s][%td]", b.forward.query_token().c_str(), u.column)
               : format("W_Q[%td,%td]", u.row, u.column);
}

void write_adamw(SheetWriter& w, const WorkedBackward& b, const WorkedUpdate& u) {
    if (u.frozen)
        return w.text(entry_name(b, u) + " is frozen: training leaves it as it is.",
                      entry_name(b, u) + " 被冻结：训练不改变它。");
    const auto line = [](const std::string& label, double value) {
        return Sheet::Row{label, {Sheet::Cell::exact(value)}};
    };
    Sheet::Table table{"adamw", "", {entry_name(b, u)}, {}, false};
    table.rows.push_back(line("w", double(u.value)));
    table.rows.push_back(line(w.in("gradient", "梯度"), u.raw));
    table.rows.push_back(
        line(format("g = %s · %.6g", w.in("gradient", "梯度").c_str(), u.scale), u.g));
    table.rows.push_back(line(w.in("m before", "原来的 m"), double(u.m)));
    table.rows.push_back(line(w.in("v before", "原来的 v"), double(u.v)));
    table.rows.push_back(line(format("m = %g m + %g g", u.beta1, 1 - u.beta1), double(u.new_m)));
    table.rows.push_back(line(format("v = %g v + %g g²", u.beta2, 1 - u.beta2), double(u.new_v)));
    table.rows.push_back(
        line(format("m̂ = m / (1 - β1^%td) = m / %.6g", u.step, u.left_1), u.m_hat));
    table.rows.push_back(
        line(format("v̂ = v / (1 - β2^%td) = v / %.6g", u.step, u.left_2), u.v_hat));
    table.rows.push_back(line(format("η λ w = %.4g · %g · w", u.learning_rate, u.decay), u.pull));
    table.rows.push_back(line("η m̂ / (√v̂ + ε)", u.push));
    table.rows.push_back(
        Sheet::Row{"w - η λ w - η m̂ / (√v̂ + ε)", {Sheet::Cell::exact(double(u.new_value))}, true});
    w.table(std::move(table));
}

void write_check(SheetWriter& w, const WorkedBackward& b) {
    const WorkedBackward::Check& check = b.check;
    w.section("check", "The check: a real training step", "验证：真的训练一步");
    w.text(
        "The trainer's own step, run on a copy of this state in memory with this text as its "
        "batch, "
        "and with nobody watching:",
        "在内存里的一份副本上，用训练器自己的那段代码、以这段文字为一个批，不加观察地走一步：");
    const auto bits = [&](bool same) {
        return same ? w.in("the same bits", "每一位都相同") : w.in("DIFFERENT", "不同");
    };
    const auto entry = [&](const WorkedUpdate& u, Real trained) {
        return Sheet::Row{entry_name(b, u),
                          {Sheet::Cell::exact(double(u.new_value)),
                           Sheet::Cell::exact(double(trained)), bits(u.new_value == trained)}};
    };
    w.table({"check",
             "",
             {w.in("this sheet", "本表"), w.in("training step", "训练一步"), ""},
             {{w.in("loss", "损失"),
               {Sheet::Cell::exact(b.loss), Sheet::Cell::exact(check.loss),
                bits(b.loss == check.loss)}},
              {w.in("gradients", "梯度"),
               {grouped(check.numbers), grouped(check.numbers - check.different),
                bits(check.different == 0)}},
              entry(b.W_Q, check.W_Q),
              entry(b.E, check.E)},
             false});
    w.text(
        format("Loss on this text behind the step: %.4f (before: %.4f).", check.loss_after,
               check.loss),
        format("这一步之后，这段文字上的损失：%.4f（之前 %.4f）。", check.loss_after, check.loss));
}

}  // namespace

void write_update(SheetWriter& w, const WorkedBackward& b) {
    w.section("adamw", "AdamW: one weight of W_Q, one of the embedding",
              "AdamW：W_Q 里一个数，词向量里一个数");
    const double scale = b.W_Q.frozen ? b.E.scale : b.W_Q.scale;
    w.text(
        format("All gradients together have length %.4f; the limit (clip) is %g, so each is "
               "multiplied by %.6g first. m̂ and v̂ undo the pull of m and v towards their start "
               "at 0; decay (λ) acts on the weight itself, not through the gradient.",
               b.gradient_norm, b.clip, scale),
        format(
            "全部梯度合起来的长度是 %.4f，上限（clip）是 %g，所以先统一乘以 %.6g。m̂、v̂ 修正 m、v "
            "从 0 起步造成的偏小；衰减 λ 直接作用在权重上，不经过梯度。",
            b.gradient_norm, b.clip, scale));
    write_adamw(w, b, b.W_Q);
    write_adamw(w, b, b.E);
    write_check(w, b);
}

}  // namespace zhuyi
