#include "explain/update_sheet.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"

namespace zhuyi {
namespace {

// The lines of one weight: from its old value over `between` to the new one.
class WeightLines {
  public:
    WeightLines(Sheet& sheet, const char* key, const WorkedUpdate& u, const std::string& name)
        : table_(sheet.list(key, {name})) {
        line("w", double(u.value));
        line({"gradient", "梯度"}, u.raw);
    }
    void line(Label label, double value) {
        table_.add(std::move(label), {Sheet::Cell::exact(value)});
    }
    void result(Label label, const WorkedUpdate& u) {
        table_.total(std::move(label), {Sheet::Cell::exact(double(u.new_value))});
    }

  private:
    Sheet::Table& table_;
};

void write_frozen(Sheet& sheet, const std::string& name) {
    sheet.text({"%s is frozen: training leaves it as it is.", "%s 被冻结：训练不改变它。"}, name);
}

// The learning rate, where it is not the run's own, and clipping.
Text opening(const WorkedUpdates& u) {
    Text words;
    if (u.over)
        words = Text(
            "This run is done: its learning rate η has come down to 0, and an update would "
            "move nothing. So the sheet takes a tenth of the peak. ",
            "这次训练已经完成，学习率 η 已降到 0，再更新也不会移动；所以本表取峰值的十分之一。");
    return words +
           say({"All gradients together have length %.4f; the limit (clip) is %g, so each is "
                "multiplied by %.6g first. ",
                "全部梯度合起来的范数是 %.4f，上限（clip）是 %g，所以先统一乘以 "
                "%.6g（梯度裁剪）。"},
               u.gradient_norm, u.clip, u.scale);
}

// ---- AdamW

void write_adamw(Sheet& sheet, const WorkedUpdate& u, double scale, const std::string& name) {
    if (u.frozen) return write_frozen(sheet, name);
    const WorkedAdamW& a = std::get<WorkedAdamW>(u.rule);
    WeightLines lines(sheet, "adamw", u, name);
    lines.line(say({"g = gradient · %.6g", "g = 梯度 · %.6g"}, scale), u.g);
    lines.line({"m before", "原来的 m"}, double(a.m));
    lines.line({"v before", "原来的 v"}, double(a.v));
    lines.line(format("m = %g m + %g g", a.beta1, 1 - a.beta1), double(a.new_m));
    lines.line(format("v = %g v + %g g²", a.beta2, 1 - a.beta2), double(a.new_v));
    lines.line(format("m̂ = m / (1 - β1^%td) = m / %.6g", u.step, a.left_1), a.m_hat);
    lines.line(format("v̂ = v / (1 - β2^%td) = v / %.6g", u.step, a.left_2), a.v_hat);
    lines.line(format("η λ w = %.4g · %g · w", u.learning_rate, u.decay), u.pull);
    lines.line("η m̂ / (√v̂ + ε)", u.push);
    lines.result("w - η λ w - η m̂ / (√v̂ + ε)", u);
}

const Text kAdamW = {
    "m̂ and v̂ take back the pull of m and v towards their start at 0; decay (λ) "
    "acts on the weight itself, not through the gradient.",
    "m̂、v̂ 修正 m、v 从 0 起步造成的偏小；权重衰减 λ 直接作用在权重上，不经过梯度。"};

// ---- Muon

constexpr double kBrought = 0.01;  // from this size on Muon makes a direction about 1

// What orthogonalise() divides by first (kernels/orthogonal.h): with √Σσ⁴ = ‖X Xᵀ‖ no σ is above 1.
double divisor_of(const std::vector<Direction>& directions) {
    double sum = 0;
    for (const Direction& d : directions) sum += d.size * d.size * (d.size * d.size);
    return std::sqrt(1.02 * std::sqrt(sum));
}

// How the directions are spread before and after, in one sentence.
void write_spread(Sheet& sheet, const std::vector<Direction>& all, double divisor) {
    Index brought = 0;
    double least = 0, most = 0;
    for (const Direction& d : all) {
        if (!(d.size >= kBrought * divisor && d.size > 0)) continue;
        least = brought ? std::min(least, d.other) : d.other;
        most = std::max(most, d.other);
        ++brought;
    }
    sheet.text({"Here %td of %td are 0.01 or more after the division; they now lie between %.4f "
                "and %.4f.",
                "这里 %2$td 个中有 %1$td 个除后不小于 0.01，现在在 %3$.4f 与 %4$.4f 之间。"},
               brought, std::ssize(all), least, most);
}

void write_directions(Sheet& sheet, const WorkedMuon& w) {
    constexpr std::size_t kShown = 9;
    const std::vector<Direction>& all = w.directions;
    const double divisor = divisor_of(all);
    sheet.text(
        {"O comes from the whole matrix u = U Σ Vᵀ. Its %1$td singular values σ say how "
         "large u is along each of its directions. O has the same directions, and all "
         "about as large: O ≈ U Vᵀ, every direction gets nearly an equal say. First all are "
         "divided by √(1.02 ‖u uᵀ‖) = %2$.4g, so that none is above 1. What is then 0.01 "
         "or more comes out between 0.71 and 1.29; smaller ones grow by up to 76 times.",
         "O 由整个矩阵 u = U Σ Vᵀ 算出。%1$td 个奇异值 σ 表示 u 在各个方向上有多大；O 的方向不变，"
         "大小却都接近 1：O ≈ U Vᵀ，每个方向的作用几乎相等。先都除以 √(1.02 ‖u uᵀ‖) = "
         "%2$.4g，使它们不超过 1；除后不小于 0.01 的，结果在 0.71 与 1.29 之间，更小的最多放大 "
         "76 倍。"},
        std::ssize(all), divisor);
    Sheet::Table& table = sheet.list(
        "directions",
        {{"σ of u", "u 的 σ"}, {"divided", "除后"}, {"σ of O", "O 的 σ"}, {"times", "放大倍数"}});
    const std::size_t last = all.size() - 1, shown = std::min(kShown, all.size());
    for (std::size_t k = 0; k < shown; ++k) {
        const std::size_t i = shown > 1 ? k * last / (shown - 1) : 0;
        const double divided = divisor > 0 ? all[i].size / divisor : 0;
        table.add(std::to_string(i + 1), {Sheet::Cell::exact(all[i].size), divided, all[i].other,
                                          divided > 0 ? all[i].other / divided : Sheet::Cell()});
    }
    write_spread(sheet, all, divisor);
}

void write_muon(Sheet& sheet, const WorkedUpdate& u, double scale, const std::string& name) {
    if (u.frozen) return write_frozen(sheet, name);
    const WorkedMuon& w = std::get<WorkedMuon>(u.rule);
    WeightLines lines(sheet, "muon", u, name);
    lines.line(say({"g = gradient · %.6g", "g = 梯度 · %.6g"}, scale), u.g);
    lines.line({"m before", "原来的 m"}, double(w.m));
    lines.line(format("m = %g m + %g g", w.momentum, 1 - w.momentum), double(w.new_m));
    lines.line(format("u = %g m + %g g", w.momentum, 1 - w.momentum), double(w.u));
    lines.line({"O, from all of u (below)", "O，由整个 u 算出（见下）"}, double(w.O));
    lines.line(format("η λ w = %.4g · %g · w", u.learning_rate, u.decay), u.pull);
    lines.line(format("η · 0.2 √max(in, out) · O = %.4g · %.5g · O", u.learning_rate, w.scale),
               u.push);
    lines.result("w - η λ w - η · 0.2 √max(in, out) · O", u);
    write_directions(sheet, w);
}

const Text kMuon = {
    "Muon then moves the whole matrix W_Q at once. m is the moving mean of the gradient, u goes "
    "one step further along it (Nesterov), O is u with all its directions made about equally "
    "large. Decay (λ) acts on the weight itself, as with AdamW.",
    "Muon 接着把 W_Q 作为整个矩阵来更新：m 是梯度的滑动平均（动量），u 沿它再向前看一步"
    "（Nesterov），O 是正交化之后的 u，各个方向差不多一样大。权重衰减 λ 与 AdamW "
    "一样，直接作用在权重上。"};

// ---- the check

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
    const auto count = [&](Label label, const WorkedUpdates::Compared& c) {
        table.add(std::move(label), {grouped(c.numbers), grouped(c.numbers - c.different),
                                     verdict(c.different == 0)});
    };
    count({"gradients", "梯度"}, check.gradients);
    compare(W_Q, double(u.W_Q.new_value), double(check.W_Q));
    compare(E, double(u.E.new_value), double(check.E));
    count({"all of W_Q and E", "整个 W_Q 和 E"}, check.weights);
    sheet.text({"Loss on this text after the step: %.4f nats per token (before: %.4f).",
                "这一步之后，这段文字上的损失：%.4f 奈特/token（之前 %.4f）。"},
               check.loss_after, check.loss);
}

}  // namespace

void write_updates(Sheet& sheet, const WorkedUpdates& u, double loss, const std::string& token) {
    const std::string W_Q = format("W_Q[%td,%td]", u.W_Q.row, u.W_Q.column);
    const std::string E = format("E[%s][%td]", token.c_str(), u.E.column);
    if (std::holds_alternative<WorkedMuon>(u.W_Q.rule)) {
        sheet.section("muon", {"Muon: the matrix W_Q, and one weight of it",
                               "Muon：更新矩阵 W_Q，细看其中一个数"});
        sheet.text(opening(u) + kMuon);
        write_muon(sheet, u.W_Q, u.scale, W_Q);
        sheet.section("adamw", {"AdamW: one weight of the embedding", "AdamW：词向量里一个数"});
        sheet.text(kAdamW);
    } else {
        sheet.section("adamw", {"AdamW: one weight of W_Q, one of the embedding",
                                "AdamW：W_Q 里一个数，词向量里一个数"});
        sheet.text(opening(u) + kAdamW);
        write_adamw(sheet, u.W_Q, u.scale, W_Q);
    }
    write_adamw(sheet, u.E, u.scale, E);
    write_check(sheet, u, loss, W_Q, E);
}

}  // namespace zhuyi
