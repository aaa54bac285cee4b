#include "train/optimizer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "kernels/kernels.h"
#include "support/close.h"
#include "support/tiny_gpt.h"
#include "train/config.h"

using namespace zhuyi;

namespace {

TrainConfig muon() {
    TrainConfig config;
    config.optimizer = UpdateRule::muon;
    return config;
}

void fill_gradients(Parameters& parameters, int step) {
    Index i = 0;
    for (Real& g : parameters.grads()) g = Real(std::sin(0.7 * double(++i) + step));
}

}  // namespace

TEST_CASE("muon: takes the matrices inside blocks, AdamW has the rest") {
    GptConfig sizes = tiny_config();
    sizes.tied = false;
    const Rules rules = make_rules(muon());
    Index matrices = 0;
    for (const Parameter& row : parameter_table(sizes)) {
        const bool inside = row.name.find(".W_") != std::string::npos;
        CHECK_MESSAGE(rule_of(rules, row).name() == std::string(inside ? "Muon" : "AdamW"),
                      row.name);
        matrices += inside;
    }
    CHECK(matrices == 6 * sizes.layers);
}

TEST_CASE("muon: remembers one number for each weight where AdamW needs two") {
    const auto table = parameter_table(tiny_config());
    const Rules rules = make_rules(muon()), adamw = make_rules(TrainConfig{});
    const auto W_Q = std::ranges::find(table, "block.0.attention.W_Q", &Parameter::name);
    CHECK(state_names(rules, *W_Q) == std::vector<std::string>{"muon.m.block.0.attention.W_Q"});
    CHECK(state_names(rules, table.front()).size() == 2);
    Index spared = 0;
    for (const Parameter& row : table) spared += row.block_matrix ? row.shape.size() : 0;
    CHECK(state_length(adamw, table) - state_length(rules, table) == spared);
}

// W = (1 2; 3 4), gradient (0 3; -1 0), η = 0.1, λ = 0.5, μ = 0.95. The direction of the momentum
// is that of the gradient, whose orthogonal factor is (0 o₁; -o₂ 0) (orthogonal_test.cpp); 0.2 √2
// is its scale. So the first step leaves W (1 - 0.05) - 0.1 · 0.28284 · O.
TEST_CASE("muon: the first step by pencil") {
    const Parameter row{"W", {2, 2}, Kind::W_Q, 0, 0, 0.02, true, 0, true};
    Real w[] = {1, 2, 3, 4}, g[] = {0, 3, -1, 0}, m[4] = {}, o[4];
    TrainConfig config = muon();
    config.weight_decay = 0.5;
    std::vector<Real> memory(std::size_t(kernels().orthogonalise_numbers(2, 2)));
    kernels().orthogonalise(o, g, 2, 2, memory.data());
    CHECK(close(muon_scale(row), 0.28284, 1e-5));
    const RowUpdate update{row, {Out(m)}, Out(w), In(g)};
    make_muon(config)->update({&update, 1}, {1, 0.1});
    CHECK(close(m[1], 0.05 * 3, 1e-6));
    CHECK(close(w[0], 0.95, 1e-6));
    CHECK(close(w[1], 1.9 - 0.028284 * double(o[1]), 1e-5));
    CHECK(close(w[2], 2.85 - 0.028284 * double(o[2]), 1e-5));
    CHECK(close(w[3], 3.8, 1e-6));
    // A second gradient of the same direction: m = 0.95 · 0.15 + 0.05 · 3, the same step again.
    const Real before = w[1];
    make_muon(config)->update({&update, 1}, {2, 0.1});
    CHECK(close(m[1], 0.2925, 1e-6));
    CHECK(close(w[1], 0.95 * double(before) - 0.028284 * double(o[1]), 1e-5));
}

TEST_CASE("muon: an update has about the size of AdamW's, whatever the gradient's") {
    Parameters parameters(parameter_table(tiny_config()), true);
    const auto optimizer = make_optimizer(parameters.table(), muon());
    parameters.initialise(1);
    fill_gradients(parameters, 1);
    for (Real& g : parameters.grads()) g *= Real(1e-12);
    TrainConfig config = muon();
    optimizer->measure_next_update();
    optimizer->update(parameters, {1, 0.1});
    for (std::size_t i = 0; i < parameters.table().size(); ++i) {
        const Parameter& row = parameters.table()[i];
        if (!row.block_matrix) continue;
        // ‖ΔW‖ / √(numbers), the root mean square; weight decay and small singular values apart
        const double size =
            optimizer->measured_update()[i].moved / std::sqrt(double(row.shape.size()));
        CHECK_MESSAGE((size > 0.1 * 0.02 && size < 0.1 * 0.3), row.name);
    }
}

TEST_CASE("muon: threads, and measuring row by row, change no bit; a frozen row stays") {
    auto table = parameter_table(tiny_config());
    freeze(table, "block.1");
    const auto trained = [&](int threads, bool measured) {
        set_thread_count(threads);
        Parameters parameters(table, true);
        parameters.initialise(1);
        const auto optimizer = make_optimizer(table, muon());
        for (int step = 0; step < 3; ++step) {
            fill_gradients(parameters, step);
            if (measured) optimizer->measure_next_update();
            optimizer->update(parameters, {step + 1, 0.01, 0.5});
        }
        set_thread_count(0);
        return std::vector<Real>(parameters.values().begin(), parameters.values().end());
    };
    const std::vector<Real> one = trained(1, false);
    for (const int threads : {2, 3, 5}) CHECK(trained(threads, false) == one);
    CHECK(trained(2, true) == one);
    Parameters first(table, false);
    first.initialise(1);
    for (const Parameter& row : table) {
        const bool stayed =
            std::equal(first.value(row).begin(), first.value(row).end(), one.begin() + row.offset);
        CHECK_MESSAGE(stayed == row.frozen, row.name);
    }
}

// ---- another rule is one class

namespace {

// w ← w - η g: stochastic gradient descent. It remembers nothing.
class GradientDescent : public Rule {
  public:
    const char* name() const override { return "SGD"; }
    bool takes(const Parameter&) const override { return true; }
    std::vector<std::string> remembers() const override { return {}; }
    void update(std::span<const RowUpdate> rows, const UpdateStep& step) override {
        for (const RowUpdate& u : rows)
            for (std::size_t i = 0; i < u.value.size(); ++i)
                u.value[i] -= Real(step.learning_rate * step.gradient_scale) * u.gradient[i];
    }
};

}  // namespace

TEST_CASE("optimizer: a third rule is one class, and everything that asks the optimizer knows it") {
    Parameters parameters(parameter_table(tiny_config()), true);
    parameters.initialise(1);
    Rules rules;
    rules.push_back(std::make_unique<GradientDescent>());
    Optimizer optimizer(parameters.table(), std::move(rules));
    std::fill(parameters.grads().begin(), parameters.grads().end(), Real(2));
    const Real before = parameters.values()[0];
    std::string heard;
    optimizer.measure_next_update();
    optimizer.update(parameters, {1, 0.5, 0.25}, [&](const char* rule) { heard += rule; });
    CHECK(heard == "SGD");
    CHECK(close(parameters.values()[0], double(before) - 0.25, 1e-6));
    CHECK(close(optimizer.measured_update()[0].moved,
                0.25 * std::sqrt(double(parameters.table()[0].shape.size())), 0, 1e-5));
    CHECK(optimizer.state_of(parameters.table()[0]).empty());
}
