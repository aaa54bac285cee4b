// The end of `explain --backward`: the update of two weights by AdamW or Muon, number by number,
// compared with the trainer's own step.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "autograd/tape.h"
#include "base/format.h"
#include "base/math.h"
#include "explain/backward.h"
#include "kernels/kernels.h"
#include "model/gpt.h"
#include "model/parameters.h"
#include "train/checkpoint.h"
#include "train/config.h"
#include "train/optimizer.h"

namespace zhuyi {
namespace {

std::size_t place_of(const Weight& weight, const Parameter& p) {
    return std::size_t(weight.row * p.shape.columns() + weight.column);
}

bool by_muon(const Parameter& p, const TrainConfig& config) {
    return rule_of(make_rules(config), p).name() == std::string("Muon");
}

// ---- one weight. The rule itself makes the update, on the copies in `row`.

using Lines = Sheet::Table;  // each a value, from the old weight to the new one
void line(Lines& lines, Label label, double value) {
    lines.add(std::move(label), {Cell::exact(value)});
}

// Returns η m̂ / (√v̂ + ε).
double write_adamw(Lines& lines, std::size_t at, const RowUpdate& row, const UpdateStep& step,
                   const TrainConfig& c) {
    line(lines, {"m before", "原来的 m"}, double(row.state[0][at]));
    line(lines, {"v before", "原来的 v"}, double(row.state[1][at]));
    make_adamw(c)->update({&row, 1}, step);
    const double m = double(row.state[0][at]), v = double(row.state[1][at]);
    const double left_1 = 1 - math::power(c.beta1, double(step.step));
    const double left_2 = 1 - math::power(c.beta2, double(step.step));
    line(lines, format("m = %g m + %g g", c.beta1, 1 - c.beta1), m);
    line(lines, format("v = %g v + %g g²", c.beta2, 1 - c.beta2), v);
    line(lines, format("m̂ = m / (1 - β1^%td) = m / %.6g", step.step, left_1), m / left_1);
    line(lines, format("v̂ = v / (1 - β2^%td) = v / %.6g", step.step, left_2), v / left_2);
    return step.learning_rate * (m / left_1) / (std::sqrt(v / left_2) + c.epsilon);
}

// Shows how the directions of u are spread, before and after. O is made of u divided by √(1.02 ‖u
// uᵀ‖) (kernels/orthogonal.h): ‖u uᵀ‖ = √Σσ⁴, so no σ is above 1 then.
void write_directions(Sheet& sheet, const std::vector<Direction>& all) {
    constexpr std::size_t kShown = 9;
    double fourths = 0;
    for (const Direction& d : all) fourths += d.size * d.size * (d.size * d.size);
    const double divisor = std::sqrt(1.02 * std::sqrt(fourths));
    sheet.text(
        {"O comes from the whole matrix u = U Σ Vᵀ. Its %1$td singular values σ say how "
         "large u is along each of its directions. O has the same directions, and all "
         "about as large: O ≈ U Vᵀ, every direction gets nearly an equal say. First all are "
         "divided by √(1.02 ‖u uᵀ‖) = %2$.4g, so that none is above 1. What is then 0.01 "
         "or more comes out between 0.71 and 1.29; smaller ones grow by up to 76 times.",
         "O 由整个矩阵 u = U Σ Vᵀ 算出。%1$td 个奇异值 σ 表示 u 在各个方向上有多大；O 的方向不变，"
         "大小却都接近 1：O ≈ U Vᵀ，每个方向的作用几乎相等。先都除以 √(1.02 ‖u uᵀ‖) = %2$.4g，使它"
         "们不超过 1；除后不小于 0.01 的，结果在 0.71 与 1.29 之间，更小的最多放大 76 倍。"},
        std::ssize(all), divisor);
    Sheet::Table& table = sheet.list(
        "directions",
        {{"σ of u", "u 的 σ"}, {"divided", "除后"}, {"σ of O", "O 的 σ"}, {"times", "放大倍数"}});
    const std::size_t last = all.size() - 1, shown = std::min(kShown, all.size());
    for (std::size_t k = 0; k < shown; ++k) {
        const std::size_t i = shown > 1 ? k * last / (shown - 1) : 0;
        const double divided = divisor > 0 ? all[i].size / divisor : 0;
        table.add(std::to_string(i + 1), {Cell::exact(all[i].size), divided, all[i].other,
                                          divided > 0 ? all[i].other / divided : Cell()});
    }
    Numbers brought;  // what becomes of those that Muon makes about 1
    for (const Direction& d : all)
        if (d.size >= 0.01 * divisor && d.size > 0) brought.push_back(d.other);
    const auto [least, most] = std::ranges::minmax(brought.empty() ? Numbers{0} : brought);
    sheet.text({"Here %td of %td are 0.01 or more after the division; they now lie between %.4f "
                "and %.4f.",
                "这里 %2$td 个中有 %1$td 个除后不小于 0.01，现在在 %3$.4f 与 %4$.4f 之间。"},
               brought.count(), std::ssize(all), least, std::max(most, 0.0));
}

// Returns η · 0.2 √max(in, out) · O, and fills `all` with the directions of the whole matrix.
double write_muon(Lines& lines, std::size_t at, const RowUpdate& row, const UpdateStep& step,
                  const TrainConfig& c, std::vector<Direction>& all) {
    const Index rows = row.row.shape.rows(), columns = row.row.shape.columns();
    std::vector<Real> m(row.state[0].begin(), row.state[0].end()), u(m.size()), O(m.size());
    std::vector<Real> memory(std::size_t(kernels().orthogonalise_numbers(rows, columns)));
    line(lines, {"m before", "原来的 m"}, double(m[at]));
    kernels().momentum(u.data(), m.data(), row.gradient.data(), std::ssize(m), c.momentum,
                       step.gradient_scale);
    kernels().orthogonalise(O.data(), u.data(), rows, columns, memory.data());
    make_muon(c)->update({&row, 1}, step);
    line(lines, format("m = %g m + %g g", c.momentum, 1 - c.momentum), double(m[at]));
    line(lines, format("u = %g m + %g g", c.momentum, 1 - c.momentum), double(u[at]));
    line(lines, {"O, from all of u (below)", "O，由整个 u 算出（见下）"}, double(O[at]));
    all = directions({In(u), rows, columns}, {In(O), rows, columns});
    return step.learning_rate * muon_scale(row.row) * double(O[at]);
}

}  // namespace

std::vector<Real> write_weight(Sheet& sheet, const WorkedTraining& training, const Weight& weight,
                               double gradient_norm) {
    Parameters& parameters = training.model.parameters;
    const TrainConfig& config = training.config;
    const Parameter& p = parameters.row(weight.parameter);
    const std::size_t at = place_of(weight, p);
    std::vector<Real> values(parameters.value(p).begin(), parameters.value(p).end());
    if (p.frozen) {
        sheet.text({"%s is frozen: training leaves it as it is.", "%s 被冻结：训练不改变它。"},
                   weight.name);
        return values;
    }
    const UpdateStep step{training.step + 1, learning_rate(training.step, config),
                          clip_scale(gradient_norm, config.clip)};
    RowUpdate row{p, {}, values, parameters.grad(p)};
    std::vector<std::vector<Real>> state;
    for (const Optimizer::State& s : training.optimizer.state_of(p))
        state.emplace_back(s.values.begin(), s.values.end());
    row.state.assign(state.begin(), state.end());
    const bool muon = by_muon(p, config);
    const double decay = p.decay ? config.weight_decay : 0;
    const double pull = step.learning_rate * decay * double(values[at]);

    Lines& lines = sheet.list(muon ? "muon" : "adamw", {weight.name});
    line(lines, "w", double(values[at]));
    line(lines, {"gradient", "梯度"}, double(row.gradient[at]));
    line(lines, say({"g = gradient · %.6g", "g = 梯度 · %.6g"}, step.gradient_scale),
         double(row.gradient[at] * Real(step.gradient_scale)));
    std::vector<Direction> all;
    const double push = muon ? write_muon(lines, at, row, step, config, all)
                             : write_adamw(lines, at, row, step, config);
    line(lines, format("η λ w = %.4g · %g · w", step.learning_rate, decay), pull);
    line(lines,
         muon ? format("η · 0.2 √max(in, out) · O = %.4g · %.5g · O", step.learning_rate,
                       muon_scale(p))
              : "η m̂ / (√v̂ + ε)",
         push);
    lines.total(muon ? "w - η λ w - η · 0.2 √max(in, out) · O" : "w - η λ w - η m̂ / (√v̂ + ε)",
                {Cell::exact(double(values[at]))});
    if (muon) write_directions(sheet, all);
    return values;
}

// Tells the learning rate, if it is not the run's own, and how the gradient is clipped.
static std::string opening(const WorkedTraining& training, double norm) {
    std::string words;
    if (training.over)
        words = say(
            {"This run is done: its learning rate η has come down to 0, and an update would "
             "move nothing. So the sheet takes a tenth of the peak. ",
             "这次训练已经完成，学习率 η 已降到 0，再更新也不会移动；所以本表取峰值的十分之一。"});
    return words +
           say({"All gradients together have length %.4f; the limit (clip) is %g, so each is "
                "multiplied by %.6g first. ",
                "全部梯度合起来的范数是 %.4f，上限（clip）是 %g，所以先统一乘以 "
                "%.6g（梯度裁剪）。"},
               norm, training.config.clip, clip_scale(norm, training.config.clip));
}

constexpr Words kAdamW = {
    "m̂ and v̂ take back the pull of m and v towards their start at 0; decay (λ) "
    "acts on the weight itself, not through the gradient.",
    "m̂、v̂ 修正 m、v 从 0 起步造成的偏小；权重衰减 λ 直接作用在权重上，不经过梯度。"};

constexpr Words kMuon = {
    "Muon then moves the whole matrix W_Q at once. m is the moving mean of the gradient, u goes "
    "one step further along it (Nesterov), O is u with all its directions made about equally "
    "large. Decay (λ) acts on the weight itself, as with AdamW.",
    "Muon 接着把 W_Q 作为整个矩阵来更新：m 是梯度的滑动平均（动量），u 沿它再向前看一步"
    "（Nesterov），O 是正交化之后的 u，各个方向差不多一样大。权重衰减 λ 与 AdamW "
    "一样，直接作用在权重上。"};

// Copies the weights, and what the optimizer remembers of them.
static void copy_training_state(Trained to, Trained from) {
    for (const Parameter& p : from.parameters.table()) {
        std::ranges::copy(from.parameters.value(p), to.parameters.value(p).begin());
        const auto theirs = from.optimizer->state_of(p), ours = to.optimizer->state_of(p);
        for (std::size_t i = 0; i < ours.size(); ++i)
            std::ranges::copy(theirs[i].values, ours[i].values.begin());
    }
}

// Makes the trainer's own step, unwatched, on a copy, and compares it with the new values that the
// sheet computed: W_Q_values and E_values.
static void write_check(Sheet& sheet, const WorkedTraining& training, const TrainedReading& r,
                        const Weight& W_Q, In W_Q_values, const Weight& E, In E_values) {
    sheet.section("check", {"The check: a real training step", "与真正的训练步核对"});
    sheet.text(
        {"The trainer's own step, run on a copy of this state in memory with this text as "
         "its batch, and with nobody watching:",
         "在内存里的一份副本上，用训练器的同一段代码、以这段文字为一个批次训练一步："});
    Parameters& before = training.model.parameters;
    Parameters copy(before.table(), true);
    const auto optimizer = make_optimizer(before.table(), training.config);
    copy_training_state({copy, *optimizer}, {before, training.optimizer});
    Gpt model(training.model.model.config(), copy);
    TrainConfig config = training.config;
    config.accumulate = 1;
    Tape tape(true, config.precision);
    const double loss =
        update(model, copy, *optimizer, tape, config, training.step, [&](Index) -> Batch {
            return {r.ids, r.targets, 1};
        }).loss;
    Sheet::Table& table =
        sheet.list("check", {{"this sheet", "本表"}, {"training step", "训练一步"}, ""});
    const auto add = [&](Label label, Cell here, Cell there, bool same) {
        table.add(std::move(label),
                  {std::move(here), std::move(there),
                   same ? say({"the same bits", "每一位都相同"}) : say({"DIFFERENT", "不同"})});
    };
    const auto add_one = [&](Label label, double here, double there) {
        add(std::move(label), Cell::exact(here), Cell::exact(there), here == there);
    };
    Index numbers = 0, different = 0;
    const auto count = [&](In here, In there) {
        numbers += std::ssize(here);
        for (std::size_t i = 0; i < here.size(); ++i)
            different += std::memcmp(&here[i], &there[i], sizeof here[i]) != 0;
    };
    const auto add_counted = [&](Label label) {
        add(std::move(label), grouped(numbers), grouped(numbers - different), different == 0);
        numbers = different = 0;
    };
    add_one({"loss", "损失"}, r.loss, loss);
    for (const Parameter& p : before.table())
        if (!p.frozen) count(before.grad(p), copy.grad(p));
    add_counted({"gradients", "梯度"});
    for (const auto& [weight, values] : {std::pair(&W_Q, W_Q_values), std::pair(&E, E_values)}) {
        const Parameter& p = copy.row(weight->parameter);
        const std::size_t at = place_of(*weight, p);
        add_one(weight->name, double(values[at]), double(copy.value(p)[at]));
        count(values, copy.value(p));
    }
    add_counted({"all of W_Q and E", "整个 W_Q 和 E"});
    Tape after(false, config.precision);
    sheet.text({"Loss on this text after the step: %.4f nats per token (before: %.4f).",
                "这一步之后，这段文字上的损失：%.4f 奈特/token（之前 %.4f）。"},
               double(model.loss(after, r.ids, r.targets, 1, {}).mean.value[0]), loss);
}

void write_updates(Sheet& sheet, const WorkedTraining& training, const TrainedReading& r,
                   const Weight& W_Q, const Weight& E) {
    Workspace workspace;
    Parameters& parameters = training.model.parameters;
    const double norm = gradient_norm(parameters, workspace);
    const bool muon = by_muon(parameters.row(W_Q.parameter), training.config);
    std::vector<Real> W_Q_values;
    if (muon) {
        sheet.section("muon", {"Muon: the matrix W_Q, and one weight of it",
                               "Muon：更新矩阵 W_Q，细看其中一个数"});
        sheet.text(opening(training, norm) + say(kMuon));
        W_Q_values = write_weight(sheet, training, W_Q, norm);
        sheet.section("adamw", {"AdamW: one weight of the embedding", "AdamW：词向量里一个数"});
        sheet.text(say(kAdamW));
    } else {
        sheet.section("adamw", {"AdamW: one weight of W_Q, one of the embedding",
                                "AdamW：W_Q 里一个数，词向量里一个数"});
        sheet.text(opening(training, norm) + say(kAdamW));
        W_Q_values = write_weight(sheet, training, W_Q, norm);
    }
    const std::vector<Real> E_values = write_weight(sheet, training, E, norm);
    write_check(sheet, training, r, W_Q, W_Q_values, E, E_values);
}

}  // namespace zhuyi
