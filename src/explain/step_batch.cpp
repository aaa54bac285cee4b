// A training step that a sheet follows: its batch, and what each position of the batch hands back.
#include <algorithm>

#include "autograd/tape.h"
#include "explain/step.h"
#include "kernels/kernels.h"
#include "model/gpt.h"
#include "model/parameters.h"
#include "text/tokenized.h"
#include "text/tokenizer.h"
#include "train/config.h"
#include "train/optimizer.h"

namespace zhuyi {

Windows draw_windows(const WorkedTraining& training, std::span<const Token> text, Index step) {
    const TrainConfig& c = training.config;
    Windows windows{{}, {}, training.model.model.config().context};
    Batches batches(text, c, windows.length);
    const DrawBatch draw = batches.of_step(step);
    for (Index pass = 0; pass < c.accumulate; ++pass) {
        const Batch batch = draw(pass);
        windows.ids.emplace_back(batch.ids.begin(), batch.ids.end());
        windows.targets.emplace_back(batch.targets.begin(), batch.targets.end());
    }
    return windows;
}

Windows windows_of(std::span<const Token> text) {
    const auto last = text.size() - 1;
    return {{{text.begin(), text.begin() + Index(last)}},
            {{text.begin() + 1, text.end()}},
            Index(last)};
}

InputGradients::InputGradients(const Windows& windows, const GptConfig& config)
    : windows_(windows),
      sums_(config.vocabulary, config.channels),
      most_(std::size_t(config.vocabulary), -1),
      from_(std::size_t(config.vocabulary)) {}

void InputGradients::gradient(std::string_view, const Tensor& x, In dx) {
    const List<Token>& ids = windows_.ids[pass_];
    const Grid d(dx, x.rows(), x.columns());
    for (Index i = 0; i < ids.count(); ++i) {
        double square = 0;
        for (Index c = 0; c < d.columns; ++c) {
            sums_.at(ids[i], c) += d.at(i, c);
            square += d.at(i, c) * d.at(i, c);
        }
        if (square > most_[ids[i]]) most_[ids[i]] = square, from_[ids[i]] = pass_ * ids.count() + i;
    }
}

std::string InputGradients::strongest(Token token, const Tokenizer& tokenizer) const {
    if (most_[token] < 0) return "";
    const Index T = windows_.length, of_pass = windows_.ids[0].count(), place = from_[token] % T;
    const auto window = View<const Token>(windows_.ids[from_[token] / of_pass])
                            .part(from_[token] % of_pass - place, T);
    List<std::string> names;
    for (const Token each : window) names.push_back(tokenizer.name(each));
    return around(names, place, 6);
}

Index Windows::times_in(const List<List<Token>>& passes, Token token) {
    Index times = 0;
    for (const List<Token>& ids : passes) times += std::ranges::count(ids, token);
    return times;
}

StepReport make_update(const WorkedTraining& training, Index step, const Windows& windows,
                       Watcher& watcher) {
    Tape tape(true, training.config.precision);
    const Watching watching(tape, watcher);
    return update(training.model.model, training.model.parameters, training.optimizer, tape,
                  training.config, step, [&](Index pass) { return windows.of_pass(pass); });
}

StepReport follow_update(const WorkedTraining& training, Index step, const Windows& windows,
                         Token token, MovedBy& by) {
    Parameters& parameters = training.model.parameters;
    const Parameter& E = parameters.row("embedding.token");
    const auto row = [&](Out all) {
        return View(all).part(token * E.shape.columns(), E.shape.columns());
    };
    const std::vector<Real> before(row(parameters.value(E)).begin(),
                                   row(parameters.value(E)).end());
    InputGradients inputs(windows, training.model.model.config());
    const StepReport report = make_update(training, step, windows, inputs);
    if (E.frozen) return report;
    const View<Real> whole = row(parameters.grad(E));
    const View<const double> read = inputs.sum(token);
    Numbers &by_reading = by.gradient(0), &by_output = by.gradient(1);
    for (Index c = 0; c < whole.count(); ++c) {
        by_reading[c] = read[c];
        by_output[c] = double(whole[c]) - read[c];
    }
    const auto state = training.optimizer.state_of(E);  // m and v
    if (state.empty()) return report;                   // SGD
    const UpdateStep made{report.step, report.learning_rate,
                          clip_scale(report.gradient_norm, training.config.clip)};
    by.update(before, row(state[0].values), row(state[1].values),
              adamw_step(training.config, E, made));
    return report;
}

}  // namespace zhuyi
