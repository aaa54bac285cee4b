#include "explain/worked_step.h"

#include <algorithm>
#include <cmath>

#include "model/kind_words.h"
#include "text/batches.h"
#include "text/utf8.h"
#include "train/optimizer.h"

namespace zhuyi {
namespace {

// What every place of the batch hands back to the row of the embedding that it read.
class InputGradients : public Watcher {
  public:
    InputGradients(Index vocabulary, Index channels)
        : sums(vocabulary, channels),
          best_(std::size_t(vocabulary), -1),
          strongest(std::size_t(vocabulary), {-1, -1}) {}

    bool wants(std::string_view name) const override { return name == "embedding"; }
    void value(std::string_view, const Tensor&) override {}
    void gradient(std::string_view, const Tensor& x, In dx) override {
        const Index C = x.columns();
        for (std::size_t i = 0; i < ids->size(); ++i) {
            const std::size_t token = std::size_t((*ids)[i]);
            double square = 0;
            for (Index c = 0; c < C; ++c) {
                const double d = double(dx[i * std::size_t(C) + std::size_t(c)]);
                sums.at(Index(token), c) += d;
                square += d * d;
            }
            if (square <= best_[token]) continue;
            best_[token] = square;
            strongest[token] = {pass, Index(i)};
        }
    }

    const std::vector<Token>* ids = nullptr;  // of the pass that is running
    Index pass = 0;
    Grid sums;  // (V, C)

  private:
    Numbers best_;

  public:
    std::vector<std::pair<Index, Index>> strongest;  // (pass, place) for each token
};

struct Windows {
    std::vector<std::vector<Token>> ids, targets;  // one of (B, T) for each pass
};

Windows draw(const WorkedTraining& training, std::span<const Token> text) {
    const TrainConfig& c = training.config;
    const Index T = training.model.model.config().context;
    Windows windows;
    for (Index pass = 0; pass < c.accumulate; ++pass) {
        std::vector<Token> ids(std::size_t(c.batch * T)), targets(ids.size());
        draw_batch(ids, targets, text, T, std::uint64_t(c.seed), std::uint64_t(training.step),
                   std::uint64_t(pass));
        windows.ids.push_back(std::move(ids));
        windows.targets.push_back(std::move(targets));
    }
    return windows;
}

double loss_on(const WorkedTraining& training, const Windows& windows) {
    Tape tape(false, training.config.precision);
    double sum = 0;
    for (std::size_t pass = 0; pass < windows.ids.size(); ++pass) {
        tape.reset();
        sum += double(
            training.model.model
                .loss(tape, windows.ids[pass], windows.targets[pass], training.config.batch, {})
                .mean.value[0]);
    }
    return sum / double(windows.ids.size());
}

// The text around a place of a window, the token there in brackets.
std::string around(const Tokenizer& tokenizer, std::span<const Token> window, Index place) {
    constexpr Index kSide = 6;
    const Index from = std::max<Index>(place - kSide, 0);
    const Index to = std::min<Index>(place + kSide + 1, std::ssize(window));
    std::string text = from > 0 ? "…" : "";
    for (Index i = from; i < to; ++i) {
        const std::string name = tokenizer.name(window[std::size_t(i)]);
        text += i == place ? "[" + name + "]" : name;
    }
    return text + (to < std::ssize(window) ? "…" : "");
}

using Values = std::vector<Real>;

// ‖after - before‖ and ‖before‖, squared.
std::pair<double, double> squares(In before, In after) {
    double moved = 0, length = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
        const double d = double(after[i]) - double(before[i]);
        moved += d * d, length += double(before[i]) * double(before[i]);
    }
    return {moved, length};
}

void write_rows(WorkedStep& s, const WorkedTraining& training, const Windows& windows,
                const InputGradients& inputs, In before) {
    Parameters& parameters = training.model.parameters;
    const Parameter& E = parameters.table().front();
    const Index V = E.shape[0], C = E.shape[1], T = training.model.model.config().context;
    std::vector<Index> read(std::size_t(V), 0), asked(std::size_t(V), 0);
    for (const auto& ids : windows.ids)
        for (Token id : ids) ++read[std::size_t(id)];
    for (const auto& targets : windows.targets)
        for (Token id : targets) ++asked[std::size_t(id)];
    const Grid gradients(parameters.grad(E), V, C);
    const In after = parameters.value(E);
    for (Token token = 0; token < V; ++token) {
        const std::size_t at = std::size_t(token);
        const std::size_t from = at * std::size_t(C), count = std::size_t(C);
        const auto [moved, length_before] =
            squares(before.subspan(from, count), after.subspan(from, count));
        WorkedStep::Row row{token,
                            training.model.tokenizer.name(token),
                            std::sqrt(moved),
                            std::sqrt(length_before),
                            read[at],
                            asked[at],
                            length(inputs.sums.row(token)),
                            0,
                            ""};
        if (training.model.model.config().tied)
            row.from_output = distance(gradients.row(token), inputs.sums.row(token));
        if (const auto [pass, place] = inputs.strongest[at]; place >= 0) {
            const std::span<const Token> ids = windows.ids[std::size_t(pass)];
            row.example =
                around(training.model.tokenizer,
                       ids.subspan(std::size_t(place / T * T), std::size_t(T)), place % T);
        }
        s.rows.push_back(std::move(row));
    }
    std::stable_sort(s.rows.begin(), s.rows.end(),
                     [](const auto& a, const auto& b) { return a.moved > b.moved; });
}

void write_parts(WorkedStep& s, const Parameters& parameters, const auto& before_of,
                 const auto& after_of) {
    const auto add = [](std::vector<WorkedStep::Part>& parts, const std::string& name, Index block,
                        std::pair<double, double> squared) {
        const auto same = [&](const auto& part) {
            return part.name == name && part.block == block;
        };
        auto part = std::find_if(parts.begin(), parts.end(), same);
        if (part == parts.end()) part = parts.insert(parts.end(), {name, block, 0, 0});
        part->moved += squared.first, part->length += squared.second;
    };
    const auto name_of = [](const Parameter& p) -> std::string {
        const bool one_of_many = p.block >= 0 || p.kind == Kind::norm;
        return one_of_many ? words_of(p.kind).name.english : p.name;
    };
    for (const Parameter& p : parameters.table()) {
        const bool matrix = p.block >= 0 && p.shape.rank() == 2;
        add(matrix ? s.blocks : s.others, name_of(p), matrix ? p.block : -1,
            squares(before_of(p), after_of(p)));
    }
    for (auto* parts : {&s.blocks, &s.others})
        for (WorkedStep::Part& part : *parts)
            part.moved = std::sqrt(part.moved), part.length = std::sqrt(part.length);
}

}  // namespace

WorkedStep worked_step(const WorkedTraining& training, std::span<const Token> text) {
    const WorkedModel& m = training.model;
    const GptConfig& config = m.model.config();
    const Windows windows = draw(training, text);
    const Out now = m.parameters.values();
    const Values before(now.begin(), now.end());
    const auto before_of = [&](const Parameter& p) {
        return In(before).subspan(std::size_t(p.offset), std::size_t(p.shape.size()));
    };

    WorkedStep s;
    s.batch = training.config.batch, s.passes = training.config.accumulate;
    s.loss_before = loss_on(training, windows);
    InputGradients inputs(config.vocabulary, config.channels);
    Tape tape(true, training.config.precision);
    tape.watch(&inputs);
    s.report = update(m.model, m.parameters, tape, training.config, training.step,
                      [&](Index pass) -> Batch {
                          inputs.pass = pass;
                          inputs.ids = &windows.ids[std::size_t(pass)];
                          return {*inputs.ids, windows.targets[std::size_t(pass)], s.batch};
                      });
    s.gradient_scale = clip_scale(s.report.gradient_norm, training.config.clip);
    s.loss_after = loss_on(training, windows);
    for (const auto& ids : windows.ids)
        for (Index b = 0; b < s.batch; ++b)
            s.texts.push_back(utf8::repaired(m.tokenizer.decode(std::span(ids).subspan(
                std::size_t(b * config.context), std::size_t(config.context)))));
    write_rows(s, training, windows, inputs, before_of(m.parameters.table().front()));
    write_parts(s, m.parameters, before_of,
                [&](const Parameter& p) { return In(m.parameters.value(p)); });
    return s;
}

}  // namespace zhuyi
