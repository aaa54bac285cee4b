#include "train/post_mortem.h"

#include <algorithm>
#include <cmath>

#include "autograd/tape.h"
#include "base/math.h"
#include "model/parameters.h"
#include "train/checkpoint.h"
#include "train/optimizer.h"

namespace zhuyi {
namespace {

// Looks at every tensor for the first number that is not finite.
class Search : public Watcher {
  public:
    void drawn(const Batch& batch) { batch_ = batch; }
    const std::optional<Culprit>& culprit() const { return culprit_; }

    // Attention's weights are left out: B·H·T² numbers in every block, and `mix` tells as much.
    bool wants(std::string_view name) const override {
        return !name.ends_with(".attention.weights") && !name.ends_with(".attention.scores");
    }
    void value(std::string_view name, const Tensor& x) override {
        op_ = x.tape->op();
        look(Culprit::Kind::activation, name, x.shape, x.values());
    }
    void gradient(std::string_view name, const Tensor& x, In gradient) override {
        op_ = x.tape->op();
        look(Culprit::Kind::gradient, name, x.shape, gradient);
    }

    void look(Culprit::Kind kind, std::string_view name, const Shape& shape, In values) {
        if (culprit_) return;
        if (const auto place = first_not_finite(values)) {
            culprit_ = {kind,
                        std::string(name),
                        kind == Culprit::Kind::weights ? "" : op_,
                        shape,
                        *place,
                        double(values[std::size_t(*place)]),
                        before_,
                        largest_,
                        {}};
            place_token(*culprit_);
            return;
        }
        if (kind == Culprit::Kind::weights) return;
        before_ = name;
        largest_ = 0;
        for (Real x : values) largest_ = std::max(largest_, std::abs(double(x)));
    }

  private:
    // Rows of activations are the batch's positions, those of the token embedding are tokens.
    void place_token(Culprit& c) const {
        const Index row = c.element / c.shape.columns(),
                    T = std::ssize(batch_.ids) / std::max<Index>(1, batch_.texts);
        if (c.tensor == "embedding.token") {
            c.token = Token(row);
        } else if (c.kind == Culprit::Kind::activation || c.kind == Culprit::Kind::gradient) {
            if (c.shape.rows() != std::ssize(batch_.ids)) return;
            c.token = batch_.ids[std::size_t(row)];
            c.text = row / T, c.position = row % T;
        }
    }

    Batch batch_{{}, {}, 0};
    const char* op_ = "";
    std::optional<Culprit> culprit_;
    std::string before_;
    double largest_ = 0;
};

// A NaN is printed without its sign, which means nothing and differs between processors.
PostMortem without_signs(PostMortem found) {
    const auto drop = [](double& x) {
        if (std::isnan(x)) x = std::abs(x);
    };
    drop(found.step.loss), drop(found.step.gradient_norm);
    if (found.culprit) drop(found.culprit->value);
    return found;
}

std::string summary(const PostMortem& found) {
    std::string text = why_not_made(found.step);
    const auto& c = found.culprit;
    if (c && c->kind == Culprit::Kind::weights)
        text = say({"step %1$td: the weights hold %2$g in %3$s, so nothing more was done or saved",
                    "第 %1$td 步：权重 %3$s 里有 %2$g，所以没有继续，也没有保存"},
                   found.step.step, c->value, c->tensor);
    if (found.kept >= 0)
        text +=
            say({". The checkpoint of step %td is good", "。第 %td 步的检查点是好的"}, found.kept);
    return text + say({".", "。"});
}

}  // namespace

NotFinite::NotFinite(PostMortem found)
    : Error(summary(without_signs(found))), found_(without_signs(std::move(found))) {}

PostMortem post_mortem(Gpt& model, Parameters& parameters, Tape& tape, const TrainConfig& config,
                       Index step, const DrawBatch& draw) {
    Search search;
    for (const Parameter& p : parameters.table())
        search.look(Culprit::Kind::weights, p.name, p.shape, parameters.value(p));
    const Watching watching(tape, search, /*alone=*/true);
    const auto read = [&](Index, const Batch& batch) { search.drawn(batch); };
    PostMortem found{compute_gradients(model, parameters, tape, config, step, draw, read), {}, -1};
    for (const Parameter& p : parameters.table())
        if (!p.frozen)
            search.look(Culprit::Kind::weight_gradient, p.name, p.shape, parameters.grad(p));
    found.culprit = search.culprit();
    return found;
}

void check_finite(Trained trained, Index step, Index kept) {
    Parameters& parameters = trained.parameters;
    const auto check = [&](const Parameter& p, In values) {
        if (const auto element = first_not_finite(values))
            throw NotFinite({{step, 0, 0, 0, 0},
                             Culprit{Culprit::Kind::weights,
                                     p.name,
                                     "",
                                     p.shape,
                                     *element,
                                     double(values[std::size_t(*element)]),
                                     "",
                                     0,
                                     {}},
                             kept});
    };
    for (const Parameter& p : parameters.table()) {
        check(p, parameters.value(p));
        if (!trained.optimizer) continue;
        for (const Optimizer::State& state : trained.optimizer->state_of(p)) check(p, state.values);
    }
}

}  // namespace zhuyi
