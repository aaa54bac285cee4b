#include "explain/worked_backward.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "train/optimizer.h"
#include "train/update.h"

namespace zhuyi {
namespace {

constexpr Index kLogits = 10;

bool same_bits(In a, In b) { return std::memcmp(a.data(), b.data(), a.size_bytes()) == 0; }

void write_loss(WorkedBackward& w, const WorkedModel& model, const WorkedPass& pass,
                std::span<const Token> targets, std::span<const double> losses) {
    const Index T = std::ssize(targets), q = w.forward.place.query;
    const Grid logits = pass.values_of("logits");
    for (Index t = 0; t < T; ++t) {
        const Token target = targets[std::size_t(t)];
        const Numbers p = softmax(logits.row(t));
        w.predictions.push_back(
            {model.tokenizer.name(target), p[std::size_t(target)], losses[std::size_t(t)]});
        w.loss += losses[std::size_t(t)];
        if (t != q) continue;
        const Numbers gradient = pass.gradient_row_of("logits", q);
        for (Token token = 0; token < Token(p.size()); ++token)
            w.logits.push_back({model.tokenizer.name(token), p[std::size_t(token)],
                                token == target ? 1.0 : 0.0, gradient[std::size_t(token)]});
    }
    w.loss /= double(T);
    std::stable_sort(w.logits.begin(), w.logits.end(), [](const auto& a, const auto& b) {
        return std::abs(a.gradient) > std::abs(b.gradient);
    });
    w.logits.resize(std::size_t(std::min(kLogits, std::ssize(w.logits))));
}

void write_stages(WorkedBackward& w, const WorkedPass& pass) {
    using Place = WorkedBackward::Stage::Place;
    const Index q = w.forward.place.query;
    const auto stage = [&](Place place, Index layer, const std::string& name) {
        w.stages.push_back({place, layer, length(pass.gradient_row_of(name, q))});
    };
    for (Index layer = w.forward.config.layers; layer-- > 0;) {
        stage(Place::feed_forward, layer, block_name(layer, "residual.2"));
        stage(Place::attention, layer, block_name(layer, "residual.1"));
    }
    stage(Place::embedding, -1, "embedding");
}

void write_head(WorkedBackward& w, const WorkedModel& model, const WorkedPass& pass) {
    const WorkedForward& f = w.forward;
    const Index T = std::ssize(f.ids), D = f.config.head_size(), q = f.place.query;
    const Index layer = f.place.layer, first = f.place.head * D;
    const auto name = [&](const char* rest) { return block_name(layer, rest); };
    const auto part = [&](const char* rest) {
        return columns_of(pass.gradients_of(name(rest)), first, D);
    };
    const auto gradient = [&](const char* rest) {
        const auto& table = model.parameters.table();
        const auto p = std::find_if(table.begin(), table.end(),
                                    [&](const Parameter& each) { return each.name == name(rest); });
        return Grid(model.parameters.grad(*p), p->shape[0], p->shape[1]);
    };
    w.d_output = pass.gradient_row_of(name("attention.output"), q);
    w.W_O = rows_of(model.parameter(name("attention.W_O")), first, D);
    w.d_mix = part("attention.mix").row_copy(q);
    w.d_weights = pass.gradient_row_of(name("attention.weights"), f.place.head * T + q);
    w.d_scores = pass.gradient_row_of(name("attention.scores"), f.place.head * T + q);
    w.d_Q = part("attention.Q"), w.d_K = part("attention.K"), w.d_V = part("attention.V");
    w.dW_Q = columns_of(gradient("attention.W_Q"), first, D);
    w.dW_K = columns_of(gradient("attention.W_K"), first, D);
    w.dW_V = columns_of(gradient("attention.W_V"), first, D);
    w.dW_O = rows_of(gradient("attention.W_O"), first, D);
    w.d_norm_1 = pass.gradient_row_of(name("norm_1"), q);
    w.d_input =
        pass.gradient_row_of(layer == 0 ? "embedding" : block_name(layer - 1, "residual.2"), q);
    w.d_embedding = pass.gradient_row_of("embedding", q);
}

void write_embedding(WorkedBackward& w, const WorkedModel& model, const WorkedPass& pass) {
    const WorkedForward& f = w.forward;
    const Index C = f.config.channels;
    const Token token = f.ids[std::size_t(f.place.query)];
    const Grid dx = pass.gradients_of("embedding");
    Numbers rest;
    const Tensor E = model.parameters.tensor("embedding.token");
    w.dE.sum.assign(std::size_t(C), 0);
    if (E.gradient)
        w.dE.sum = Grid({E.gradient->data, std::size_t(E.size())}, E.rows(), C).row_copy(token);
    rest = w.dE.sum;
    Numbers rows;
    for (Index t = 0; t < std::ssize(f.ids); ++t) {
        if (f.ids[std::size_t(t)] != token) continue;
        w.dE.positions.push_back(t);
        rows.insert(rows.end(), dx.row(t).begin(), dx.row(t).end());
        for (Index c = 0; c < C; ++c) rest[std::size_t(c)] -= dx.at(t, c);
    }
    w.dE.from_positions = {std::ssize(w.dE.positions), C, rows};
    if (f.config.tied) w.dE.from_output = rest;
}

Index largest_absolute(std::span<const double> numbers) {
    const auto smaller = [](double a, double b) { return std::abs(a) < std::abs(b); };
    return std::max_element(numbers.begin(), numbers.end(), smaller) - numbers.begin();
}

void write_updates(WorkedBackward& w, const WorkedTraining& training) {
    const WorkedForward& f = w.forward;
    const Index D = f.config.head_size(), first = f.place.head * D;
    Workspace workspace;
    Parameters& parameters = training.model.parameters;
    w.gradient_norm = gradient_norm(parameters, workspace);
    w.clip = training.config.clip;
    const auto update = [&](const std::string& name, Index row, Index column) {
        return worked_update(parameters, name, row, column, training.config, w.gradient_norm,
                             training.step);
    };
    const Index entry = largest_absolute(w.dW_Q.values), row = entry / D, column = entry % D;
    w.W_Q = update(block_name(f.place.layer, "attention.W_Q"), row, first + column);
    w.entry_x = columns_of(f.norm_1_rows, row, 1).values;
    w.entry_dQ = columns_of(w.d_Q, column, 1).values;
    w.E = update("embedding.token", f.ids[std::size_t(f.place.query)], largest_absolute(w.dE.sum));
}

Real element(Parameters& parameters, const WorkedUpdate& u) {
    const Tensor x = parameters.tensor(u.parameter);
    return x.value[u.row * x.columns() + u.column];
}

// The trainer's own step, unwatched, on a copy.
void write_check(WorkedBackward& w, const WorkedTraining& training, std::span<const Token> ids,
                 std::span<const Token> targets) {
    Parameters& before = training.model.parameters;
    Parameters copy(before.table(), true);
    copy_training_state(copy, before);
    Gpt model(training.model.model.config(), copy);
    TrainConfig config = training.config;
    config.accumulate = 1;
    Tape tape(true, config.precision);
    const auto text = [&](Index) { return Batch{ids, targets, 1}; };
    w.check.loss = update(model, copy, tape, config, training.step, text).loss;
    for (const Parameter& p : before.table()) {
        if (p.frozen) continue;
        const In a = before.grad(p), b = copy.grad(p);
        w.check.numbers += p.shape.size();
        for (std::size_t i = 0; i < a.size(); ++i)
            w.check.different += !same_bits(a.subspan(i, 1), b.subspan(i, 1));
    }
    w.check.W_Q = element(copy, w.W_Q), w.check.E = element(copy, w.E);
    const auto same = [](const Real& a, const Real& b) { return same_bits({&a, 1}, {&b, 1}); };
    w.check.same = w.check.different == 0 && w.check.loss == w.loss &&
                   same(w.check.W_Q, w.W_Q.new_value) && same(w.check.E, w.E.new_value);
    Tape after(false, config.precision);
    w.check.loss_after = double(model.loss(after, ids, targets, 1, {}).mean.value[0]);
}

}  // namespace

void copy_training_state(Parameters& to, Parameters& from) {
    for (const Parameter& p : from.table()) {
        std::ranges::copy(from.value(p), to.value(p).begin());
        std::ranges::copy(from.m(p), to.m(p).begin());
        std::ranges::copy(from.v(p), to.v(p).begin());
    }
}

WorkedBackward worked_backward(const WorkedTraining& training, std::span<const Token> ids,
                               std::span<const Token> targets, WorkedPlace place) {
    const WorkedModel& model = training.model;
    check_place(model.model.config(), std::ssize(ids), place);
    WorkedPass pass;
    Tape tape(true, training.config.precision);
    tape.watch(&pass);
    model.parameters.forget_gradients();
    const CrossEntropy entropy = model.model.loss(tape, ids, targets, 1, {});
    tape.backward(entropy.mean);
    model.parameters.settle_gradients();

    WorkedBackward w;
    w.forward = worked_forward(model, ids, place, pass);
    write_loss(w, model, pass, targets, entropy.each_row);
    w.d_final_norm = pass.gradient_row_of("final_norm", place.query);
    write_stages(w, pass);
    write_head(w, model, pass);
    write_embedding(w, model, pass);
    write_updates(w, training);
    write_check(w, training, ids, targets);
    return w;
}

}  // namespace zhuyi
