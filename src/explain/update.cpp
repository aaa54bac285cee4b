#include "explain/update.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "autograd/tape.h"
#include "base/check.h"
#include "base/math.h"
#include "kernels/kernels.h"
#include "model/gpt.h"
#include "train/checkpoint.h"
#include "train/config.h"
#include "train/optimizer.h"
#include "train/schedule.h"

namespace zhuyi {
namespace {

const Parameter& parameter_of(const Parameters& parameters, const WorkedEntry& entry) {
    const auto p = std::ranges::find(parameters.table(), entry.parameter, &Parameter::name);
    require(p != parameters.table().end(),
            {"worked update: no such parameter", "这次更新：没有这个参数"});
    return *p;
}

std::size_t place_of(const WorkedEntry& entry, const Parameter& p) {
    return std::size_t(entry.row * p.shape.columns() + entry.column);
}

// ---- one update. The rule itself makes it, on copies: `row`.

void follow_adamw(WorkedUpdate& u, std::size_t at, const RowUpdate& row, const UpdateStep& step,
                  const TrainConfig& config) {
    WorkedAdamW a{config.beta1, config.beta2, config.epsilon, row.state[0][at], row.state[1][at]};
    make_adamw(config)->update({&row, 1}, step);
    a.new_m = row.state[0][at], a.new_v = row.state[1][at];
    a.left_1 = 1 - math::power(a.beta1, double(u.step));
    a.left_2 = 1 - math::power(a.beta2, double(u.step));
    a.m_hat = double(a.new_m) / a.left_1;
    a.v_hat = double(a.new_v) / a.left_2;
    u.push = u.learning_rate * a.m_hat / (std::sqrt(a.v_hat) + a.epsilon);
    u.rule = a;
}

void follow_muon(WorkedUpdate& u, std::size_t at, const RowUpdate& row, const UpdateStep& step,
                 const TrainConfig& config) {
    const Index rows = u.shape.rows(), columns = u.shape.columns();
    std::vector<Real> m(row.state[0].begin(), row.state[0].end()), direction(m.size()), O(m.size());
    std::vector<Real> memory(std::size_t(kernels().orthogonalise_numbers(rows, columns)));
    kernels().momentum(direction.data(), m.data(), row.gradient.data(), std::ssize(m),
                       config.momentum, step.gradient_scale);
    kernels().orthogonalise(O.data(), direction.data(), rows, columns, memory.data());
    WorkedMuon w{config.momentum, row.state[0][at], m[at], direction[at], O[at]};
    w.scale = muon_scale(row.row);
    w.directions = directions({In(direction), rows, columns}, {In(O), rows, columns});
    make_muon(config)->update({&row, 1}, step);
    u.push = u.learning_rate * w.scale * double(w.O);
    u.rule = w;
}

// ---- the check

bool same_bits(const Real& a, const Real& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

void compare(WorkedUpdates::Compared& sum, In ours, In theirs) {
    sum.numbers += std::ssize(ours);
    for (std::size_t i = 0; i < ours.size(); ++i) sum.different += !same_bits(ours[i], theirs[i]);
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
                                   const WorkedUpdate& W_Q, const WorkedUpdate& E) {
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
    for (const Parameter& p : before.table())
        if (!p.frozen) compare(check.gradients, before.grad(p), copy.grad(p));
    const auto check_update = [&](const WorkedUpdate& u) {
        const Parameter& p = parameter_of(copy, u);
        compare(check.weights, u.new_values, copy.value(p));
        return copy.value(p)[place_of(u, p)];
    };
    check.W_Q = check_update(W_Q), check.E = check_update(E);
    Tape after(false, config.precision);
    check.loss_after =
        double(model.loss(after, batch.ids, batch.targets, batch.texts, {}).mean.value[0]);
    return check;
}

}  // namespace

Precision WorkedTraining::precision() const { return config.precision; }

WorkedUpdate worked_update(const WorkedTraining& training, const WorkedEntry& entry,
                           double gradient_norm) {
    Parameters& parameters = training.model.parameters;
    const TrainConfig& config = training.config;
    const Parameter& p = parameter_of(parameters, entry);
    const std::size_t at = place_of(entry, p);
    const Out value = parameters.value(p);
    WorkedUpdate u{entry, p.shape, p.frozen, value[at]};
    u.new_value = u.value;
    u.new_values.assign(value.begin(), value.end());
    const Rules rules = make_rules(config);
    const bool muon = rule_of(rules, p).name() == std::string("Muon");
    if (muon) u.rule = WorkedMuon{};
    if (u.frozen) return u;

    const UpdateStep step{training.step + 1, learning_rate(training.step, config),
                          clip_scale(gradient_norm, config.clip)};
    RowUpdate row{p, {}, u.new_values, parameters.grad(p)};
    std::vector<std::vector<Real>> state;
    for (const Optimizer::State& s : training.optimizer.state_of(p))
        state.emplace_back(s.values.begin(), s.values.end());
    row.state.assign(state.begin(), state.end());
    u.raw = double(row.gradient[at]);
    u.g = double(row.gradient[at] * Real(step.gradient_scale));
    u.learning_rate = step.learning_rate, u.step = step.step;
    u.decay = p.decay ? config.weight_decay : 0;
    u.pull = u.learning_rate * u.decay * double(u.value);
    (muon ? follow_muon : follow_adamw)(u, at, row, step, config);
    u.new_value = u.new_values[at];
    return u;
}

WorkedUpdates worked_updates(const WorkedTraining& training, const Batch& batch,
                             const WorkedEntry& W_Q, const WorkedEntry& E) {
    Workspace workspace;
    const double norm = gradient_norm(training.model.parameters, workspace);
    const double clip = training.config.clip;
    WorkedUpdates u{norm, clip, clip_scale(norm, clip), worked_update(training, W_Q, norm),
                    worked_update(training, E, norm)};
    u.over = training.over;
    u.check = training_step(training, batch, u.W_Q, u.E);
    return u;
}

}  // namespace zhuyi
