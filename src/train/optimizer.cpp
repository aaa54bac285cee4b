#include "train/optimizer.h"

#include <cmath>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/parallel.h"
#include "kernels/kernels.h"
#include "train/config.h"

namespace zhuyi {

double gradient_norm(Parameters& parameters, Workspace& workspace) {
    double sum = 0;  // parameter by parameter in table order: one fixed order of additions
    for (const Parameter& p : parameters.table())
        if (!p.frozen)
            sum += kernels().sum_of_squares(parameters.grad(p).data(), p.shape.size(), workspace);
    return std::sqrt(sum);
}

double clip_scale(double norm, double clip) { return clip > 0 && norm > clip ? clip / norm : 1; }

AdamWStep adamw_step(const TrainConfig& c, const Parameter& row, const UpdateStep& step) {
    return {step.learning_rate,  c.beta1,  c.beta2, c.epsilon, row.decay ? c.weight_decay : 0,
            step.gradient_scale, step.step};
}

namespace {

class AdamW : public Rule {
  public:
    explicit AdamW(const TrainConfig& config) : config_(config) {}
    const char* name() const override { return "AdamW"; }
    bool takes(const Parameter&) const override { return true; }
    std::vector<std::string> remembers() const override { return {"adam.m", "adam.v"}; }
    void update(std::span<const RowUpdate> rows, const UpdateStep& step) override {
        for (const RowUpdate& u : rows)
            kernels().adamw(u.value.data(), u.gradient.data(), u.state[0].data(), u.state[1].data(),
                            u.row.shape.size(), adamw_step(config_, u.row, step));
    }

  private:
    const TrainConfig config_;
};

// Plain gradient descent, w = w - η scale · gradient: it remembers nothing.
class Sgd : public Rule {
  public:
    const char* name() const override { return "SGD"; }
    bool takes(const Parameter&) const override { return true; }
    std::vector<std::string> remembers() const override { return {}; }
    void update(std::span<const RowUpdate> rows, const UpdateStep& step) override {
        const Real far = Real(step.learning_rate * step.gradient_scale);
        for (const RowUpdate& u : rows)
            for (std::size_t i = 0; i < u.value.size(); ++i) u.value[i] -= far * u.gradient[i];
    }
};

}  // namespace

std::unique_ptr<Rule> make_adamw(const TrainConfig& config) {
    return std::make_unique<AdamW>(config);
}

Rules make_rules(const TrainConfig& config) {
    Rules rules;
    if (config.optimizer == UpdateRule::sgd) rules.push_back(std::make_unique<Sgd>());
    if (config.optimizer == UpdateRule::muon) rules.push_back(make_muon(config));
    rules.push_back(make_adamw(config));
    return rules;
}

const Rule& rule_of(const Rules& rules, const Parameter& row) {
    for (const auto& rule : rules)
        if (rule->takes(row)) return *rule;
    fail({"no rule of the optimizer takes %s", "优化器里没有规则更新 %s"}, row.name);
}

std::vector<std::string> state_names(const Rules& rules, const Parameter& row) {
    if (row.frozen) return {};
    std::vector<std::string> names = rule_of(rules, row).remembers();
    for (std::string& name : names) name += "." + row.name;
    return names;
}

// Numbers that one array of a row takes up: each begins on a cache line.
static Index room(const Parameter& row) { return (row.shape.size() + 15) / 16 * 16; }

static UpdateSize size_of_update(In before, In after) {
    double moved = 0, length = 0;  // sums of squares
    for (std::size_t i = 0; i < before.size(); ++i) {
        const double w = double(before[i]), way = double(after[i]) - w;
        moved += way * way;
        length += w * w;
    }
    return {std::sqrt(moved), std::sqrt(length)};
}

Index state_length(const Rules& rules, const std::vector<Parameter>& table) {
    Index numbers = 0;
    for (const Parameter& row : table) numbers += room(row) * std::ssize(state_names(rules, row));
    return numbers;
}

Optimizer::Optimizer(std::vector<Parameter> table, Rules rules) : table_(std::move(table)) {
    const std::size_t bytes = std::size_t(state_length(rules, table_)) * sizeof(Real);
    state_ = allocate_aligned(bytes);
    std::memset(state_.get(), 0, bytes);
    for (auto& rule : rules) parts_.push_back({std::move(rule), {}});
    auto* free = reinterpret_cast<Real*>(state_.get());
    for (const Parameter& row : table_) {
        if (row.frozen) continue;
        auto part = parts_.begin();
        while (!part->rule->takes(row)) ++part;
        RowUpdate& update = part->rows.emplace_back(RowUpdate{row, {}});
        for (std::size_t i = 0; i < part->rule->remembers().size(); ++i, free += room(row))
            update.state.push_back({free, std::size_t(row.shape.size())});
    }
}

void Optimizer::update(Parameters& parameters, const UpdateStep& step,
                       const std::function<void(const char* rule)>& done) {
    if (measure_) before_.assign(parameters.values().begin(), parameters.values().end());
    for (Part& part : parts_) {
        for (RowUpdate& u : part.rows)
            u.value = parameters.value(u.row), u.gradient = parameters.grad(u.row);
        part.rule->update(part.rows, step);
        if (done) done(part.rule->name());
    }
    if (std::exchange(measure_, false)) measure(parameters);
}

void Optimizer::measure(Parameters& parameters) {
    sizes_.assign(table_.size(), {});
    parallel_for(std::ssize(table_), 1e4, [&](Index i) {
        const Parameter& row = table_[std::size_t(i)];
        const In now = parameters.value(row);
        if (!row.frozen)
            sizes_[std::size_t(i)] =
                size_of_update(In(before_).subspan(std::size_t(row.offset), now.size()), now);
    });
}

std::vector<Optimizer::State> Optimizer::state_of(const Parameter& row) const {
    for (const Part& part : parts_)
        for (const RowUpdate& u : part.rows) {
            if (u.row.name != row.name) continue;
            std::vector<State> states;
            const std::vector<std::string> names = part.rule->remembers();
            for (std::size_t i = 0; i < names.size(); ++i)
                states.push_back({names[i] + "." + row.name, u.state[i]});
            return states;
        }
    return {};
}

std::unique_ptr<Optimizer> make_optimizer(const std::vector<Parameter>& table,
                                          const TrainConfig& config) {
    return std::make_unique<Optimizer>(table, make_rules(config));
}

}  // namespace zhuyi
