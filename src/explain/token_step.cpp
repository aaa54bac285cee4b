#include "explain/token_step.h"

#include <algorithm>
#include <numeric>

#include "autograd/tape.h"
#include "explain/moved_by.h"
#include "kernels/kernels.h"
#include "model/gpt.h"
#include "text/tokenizer.h"
#include "train/config.h"
#include "train/optimizer.h"

namespace zhuyi {
namespace {

constexpr const char* kEmbedding = "embedding.token";
constexpr Index kDirections = 2, kLikeliest = 5;

// The model as it stands, seen from the token.
struct ModelView {
    Numbers E;
    Grid W_Q, W_K;  // (C, d_k)
    Numbers attention, next;
};

ModelView view_of(const WorkedModel& model, const WorkedText& text, Index asker) {
    const Focus& f = text.focus;
    const Index D = text.config.head_size();
    const auto matrix = [&](const char* name) {
        return columns_of(model.value(block_name(f.block, name)), f.head * D, D);
    };
    WorkedPass pass;
    record(pass, model, text.ids);
    const Numbers row = pass.values(block_name(f.block, "attention.weights"))  // (H T, T)
                            .row_copy(f.head * text.length() + asker);
    return {model.value(kEmbedding).row_copy(text.ids[std::size_t(f.query)]),
            matrix("attention.W_Q"), matrix("attention.W_K"),
            Numbers(row.begin(), row.begin() + asker + 1),
            softmax(pass.values("logits").row(f.query))};
}

Grid stacked(const std::vector<Numbers>& rows) {
    Grid grid(0, std::ssize(rows.front()));
    for (const Numbers& row : rows) {
        grid.values.insert(grid.values.end(), row.begin(), row.end());
        ++grid.rows;
    }
    return grid;
}

Numbers difference(std::span<const double> a, std::span<const double> b) {
    Numbers d(a.begin(), a.end());
    for (std::size_t i = 0; i < d.size(); ++i) d[i] -= b[i];
    return d;
}

Index times_in(const std::vector<std::vector<Token>>& passes, Token token) {
    Index times = 0;
    for (const auto& ids : passes) times += std::ranges::count(ids, token);
    return times;
}

// E[token] while it is moved.
class FollowedRow {
  public:
    FollowedRow(const WorkedTraining& training, Token token)
        : training_(training),
          row_(*std::ranges::find(training.model.parameters.table(), kEmbedding, &Parameter::name)),
          token_(token),
          by_(2, row_.shape.columns()) {}

    bool frozen() const { return row_.frozen; }
    Numbers value() const { return training_.model.value(kEmbedding).row_copy(token_); }

    // One update, with the gradients of `windows`.
    WorkedTokenSteps::Update update(Index step, const Windows& windows) {
        const TrainConfig& config = training_.config;
        const WorkedModel& m = training_.model;
        const Numbers start = value();
        const std::vector<Real> before(row(m.parameters.value(row_)).begin(),
                                       row(m.parameters.value(row_)).end());
        InputGradients inputs(windows, m.model.config());
        Tape tape(true, config.precision);
        const Watching watching(tape, inputs);
        const StepReport report =
            zhuyi::update(m.model, m.parameters, training_.optimizer, tape, config, step,
                          [&](Index pass) -> Batch {
                              const auto i = std::size_t(pass);
                              return {windows.ids[i], windows.targets[i], config.batch};
                          });
        const WorkedTokenSteps::Parts old = parts();
        if (!frozen()) split(report, inputs.sum(token_), before);
        WorkedTokenSteps::Update made{
            report,  times_in(windows.ids, token_), times_in(windows.targets, token_),
            parts(), difference(value(), start),    {},
            {}};
        for (auto part : {&WorkedTokenSteps::Parts::read, &WorkedTokenSteps::Parts::output,
                          &WorkedTokenSteps::Parts::before, &WorkedTokenSteps::Parts::decay})
            made.parts.*part = difference(made.parts.*part, old.*part);
        return made;
    }

    WorkedTokenSteps::Parts parts() const {
        const auto copy = [](std::span<const double> x) { return Numbers(x.begin(), x.end()); };
        return {copy(by_.moved(0)), copy(by_.moved(1)), copy(by_.by_rest()), copy(by_.by_decay())};
    }

  private:
    Out row(Out all) const {
        const Index C = row_.shape.columns();
        return all.subspan(std::size_t(token_ * C), std::size_t(C));
    }
    void split(const StepReport& report, std::span<const double> read, In before) {
        const Out whole = row(training_.model.parameters.grad(row_));
        for (std::size_t c = 0; c < whole.size(); ++c) {
            by_.gradient(0)[c] = read[c];
            by_.gradient(1)[c] = double(whole[c]) - read[c];
        }
        const auto state = training_.optimizer.state_of(row_);
        const UpdateStep step{report.step, report.learning_rate,
                              clip_scale(report.gradient_norm, training_.config.clip)};
        by_.update(before, row(state[0].values), row(state[1].values),
                   adamw_step(training_.config, row_, step));
    }

    const WorkedTraining& training_;
    const Parameter& row_;
    const Token token_;
    MovedBy by_;  // 0: read, 1: output layer
};

// Those of `rows` that point most nearly as x does.
std::vector<Neighbour> pointed_at(const WorkedModel& model, const Numbers& x, Token itself) {
    std::vector<Token> others = possible_neighbours(model.tokenizer);
    std::erase(others, itself);
    return nearest(x, model.parameters.tensor(kEmbedding), others, kDirections);
}

void follow_guesses(WorkedTokenSteps& s, const std::vector<ModelView>& views,
                    const Tokenizer& tokenizer) {
    const auto add = [&](Token token) {
        if (std::ranges::find(s.guesses, token) == s.guesses.end()) s.guesses.push_back(token);
    };
    if (s.answer >= 0) add(s.answer);
    for (const ModelView* view : {&views.front(), &views.back()}) {
        std::vector<Token> order(view->next.size());
        std::iota(order.begin(), order.end(), Token(0));
        std::ranges::stable_sort(order, std::greater(),
                                 [&](Token t) { return view->next[std::size_t(t)]; });
        for (Index i = 0; i < std::min(kLikeliest, std::ssize(order)); ++i)
            add(order[std::size_t(i)]);
    }
    s.next = Grid(std::ssize(views), std::ssize(s.guesses));
    for (Index v = 0; v < s.next.rows; ++v)
        for (Index g = 0; g < s.next.columns; ++g)
            s.next.at(v, g) = views[std::size_t(v)].next[std::size_t(s.guesses[std::size_t(g)])];
    for (const Token token : s.guesses) s.names.push_back(tokenizer.name(token));
}

// The row of W_Q that all updates together moved most.
Index most_moved(const Grid& before, const Grid& after) {
    Numbers way;
    for (Index r = 0; r < before.rows; ++r) way.push_back(distance(before.row(r), after.row(r)));
    return largest(way);
}

}  // namespace

Windows windows_of(std::span<const Token> text) {
    const auto last = text.size() - 1;
    return {{{text.begin(), text.begin() + Index(last)}},
            {{text.begin() + 1, text.end()}},
            Index(last)};
}

WorkedTokenSteps worked_token_steps(const WorkedTraining& training, const TokenWish& wish,
                                    const DrawWindows& draw) {
    const WorkedModel& model = training.model;
    WorkedTokenSteps s{.text = WorkedText(model, wish.text, wish.focus)};
    const Index query = s.text.focus.query;
    const Token token = s.text.ids[std::size_t(query)];
    FollowedRow row(training, token);
    s.on_text = wish.on_text, s.over = training.over, s.frozen = row.frozen();
    s.tied = s.text.config.tied;
    s.asker = query > 0 ? query : s.text.length() - 1;
    if (query + 1 < s.text.length()) s.answer = s.text.ids[std::size_t(query + 1)];

    std::vector<ModelView> views{view_of(model, s.text, s.asker)};
    for (Index n = 0; n < wish.times; ++n) {
        const Index step = training.step + n;
        s.updates.push_back(row.update(step, draw(step)));
        WorkedTokenSteps::Update& made = s.updates.back();
        made.towards = pointed_at(model, made.moved, token);
        Numbers back = made.moved;
        for (double& x : back) x = -x;
        made.away = pointed_at(model, back, token);
        views.push_back(view_of(model, s.text, s.asker));
    }
    s.all = row.parts();
    s.moved = difference(views.back().E, views.front().E);
    s.channel = most_moved(views.front().W_Q, views.back().W_Q);
    const auto rows = [&](const auto& of) {
        std::vector<Numbers> all;
        for (const ModelView& view : views) all.push_back(of(view));
        return stacked(all);
    };
    s.E = rows([](const ModelView& v) { return v.E; });
    s.W_Q = rows([&](const ModelView& v) { return v.W_Q.row_copy(s.channel); });
    s.W_K = rows([&](const ModelView& v) { return v.W_K.row_copy(s.channel); });
    s.attention = rows([](const ModelView& v) { return v.attention; });
    follow_guesses(s, views, model.tokenizer);
    return s;
}

}  // namespace zhuyi
