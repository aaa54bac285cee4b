#include "explain/why.h"

#include <algorithm>
#include <cmath>

#include "autograd/tape.h"
#include "model/gpt.h"
#include "model/parameters.h"
#include "ops/layer_norm.h"
#include "ops/linear.h"
#include "text/tokenizer.h"

namespace zhuyi {
namespace {

constexpr Index kGuesses = 5;

// Hides one position from all later ones: their rows of "mix" are made anew without it.
class Hidden : public Watcher {
  public:
    Hidden(Index position, const GptConfig& config)
        : position_(position), heads_(config.heads), D_(config.head_size()) {}

    bool wants(std::string_view name) const override {
        return name.find(".attention.") != name.npos;
    }
    void value(std::string_view name, const Tensor& x) override {
        // With rotary positions Q and K are shown twice: what is turned comes later.
        if (name.ends_with(".Q") || name.ends_with(".Q_turned")) Q_ = Grid(x);
        if (name.ends_with(".K") || name.ends_with(".K_turned")) K_ = Grid(x);
        if (name.ends_with(".V")) V_ = Grid(x);
    }
    void replace(std::string_view name, const Tensor& mix) override {  // (1, T, C)
        if (!name.ends_with(".mix")) return;
        for (Index t = position_ + 1; t < mix.rows(); ++t)
            for (Index h = 0; h < heads_; ++h) mix_row(t, h * D_, mix.value + t * mix.columns());
    }

  private:
    void mix_row(Index t, Index first, Real* row) const {
        const auto part = [&](const Grid& x, Index s) {
            return x.row(s).subspan(std::size_t(first), std::size_t(D_));
        };
        Numbers scores;
        for (Index s = 0; s <= t; ++s)
            scores.push_back(
                s == position_ ? -INFINITY : dot(part(Q_, t), part(K_, s)) / std::sqrt(double(D_)));
        const Numbers weights = softmax(scores);
        for (Index d = 0; d < D_; ++d) {
            double sum = 0;
            for (Index s = 0; s <= t; ++s)
                sum += weights[std::size_t(s)] * part(V_, s)[std::size_t(d)];
            row[first + d] = Real(sum);
        }
    }

    const Index position_, heads_, D_;
    Grid Q_, K_, V_;
};

double log_probability(std::span<const double> logits, Token token) {
    const double largest_one = logits[std::size_t(largest(logits))];
    double sum = 0;
    for (const double z : logits) sum += std::exp(z - largest_one);
    return logits[std::size_t(token)] - largest_one - std::log(sum);
}

Index rank_of(std::span<const double> logits, Token token) {
    Index rank = 1;
    for (std::size_t v = 0; v < logits.size(); ++v)
        if (const double z = logits[v], own = logits[std::size_t(token)];
            z > own || (z == own && v < std::size_t(token)))
            ++rank;
    return rank;
}

// ln p(answer) after the last of these tokens.
double log_probability(const WorkedModel& model, std::span<const Token> ids, Token answer,
                       Watcher* watcher) {
    Tape tape(false);
    std::vector<Watcher*> watchers;
    if (watcher) watchers.push_back(watcher);
    const Watching watching(tape, watchers);
    const Tensor logits = model.model.logits(tape, ids, 1, {.last_only = true});  // (1, 1, V)
    return log_probability(Grid(logits).values, answer);
}

Token neutral_token(const Tokenizer& tokenizer, Token instead_of) {
    Token best = -1;
    for (Token token = 0; token < tokenizer.size(); ++token)
        if (token != instead_of && !tokenizer.bytes(token).empty() &&
            (best < 0 || tokenizer.count(token) > tokenizer.count(best)))
            best = token;
    return best;
}

void add_effects(WorkedWhy& why, const WorkedModel& model, std::span<const Token> ids) {
    const double whole = log_probability(model, ids, why.answer.token, nullptr);
    for (Index s = 0; s < std::ssize(ids); ++s) {
        std::vector<Token> replaced(ids.begin(), ids.end());
        Token& token = replaced[std::size_t(s)];
        token = neutral_token(model.tokenizer, token);
        Hidden hidden(s, why.config);
        why.effects.push_back({s, model.tokenizer.name(token),
                               whole - log_probability(model, replaced, why.answer.token, nullptr),
                               whole - log_probability(model, ids, why.answer.token, &hidden)});
    }
}

// The scores of one vector (C), as the model's end computes them.
Numbers scores_of(const WorkedModel& model, const Numbers& x) {
    Tape tape(false);
    const auto of = [&](const char* name) { return model.parameters.tensor(name); };
    const Tensor y = layer_norm(constant(tape, {1, 1, std::ssize(x)}, x), of("final_norm.gamma"),
                                of("final_norm.beta"));
    return Grid(model.model.config().tied ? unembedding(y, of("embedding.token"))
                                          : linear(y, Affine{of("head.W"), {}}))
        .values;
}

void add_lens(WorkedWhy& why, const WorkedModel& model, const WorkedPass& pass) {
    for (Index block = -1; block < why.config.layers; ++block) {
        const Numbers z =
            scores_of(model, pass.values(input_name(block + 1)).row_copy(why.focus.query));
        why.lens.push_back({block, likeliest(model, z, kGuesses),
                            std::exp(log_probability(z, why.answer.token)),
                            rank_of(z, why.answer.token)});
    }
}

void add_parts(WorkedWhy& why, const WorkedModel& model, const WorkedPass& pass) {
    using Kind = WorkedWhy::PartKind;
    const Index q = why.focus.query, L = why.config.layers;
    const Numbers e = why.config.tied
                          ? model.value("embedding.token").row_copy(why.answer.token)
                          : columns_of(model.value("head.W"), why.answer.token, 1).values;
    const WorkedNorm norm =
        worked_norm(model, "final_norm", pass.values(input_name(L)).row_copy(q), {});
    Numbers direction(e.size());  // r γ E[a], less its mean: that takes the mean off each part
    double mean = 0;
    for (std::size_t c = 0; c < e.size(); ++c)
        mean += (direction[c] = norm.rstd * norm.gamma[c] * e[c]) / double(e.size());
    for (double& d : direction) d -= mean;
    const auto add = [&](Kind kind, Index block, Index head, std::span<const double> part) {
        why.parts.push_back({kind, block, head, dot(part, direction)});
    };
    add(Kind::embedding, -1, -1, pass.values("embedding").row(q));
    for (Index block = 0; block < L; ++block) {
        const Grid heads = head_parts(model, pass, block, q);
        for (Index head = 0; head < heads.rows; ++head)
            add(Kind::head, block, head, heads.row(head));
        add(Kind::bias, block, -1, model.bias(block_name(block, "attention.b_O")));
        add(Kind::ffn, block, -1, pass.values(block_name(block, "ffn.output")).row(q));
    }
    why.parts.push_back({Kind::beta, -1, -1, dot(norm.beta, e)});
    for (const WorkedWhy::Part& part : why.parts) why.sum += part.logit;
}

}  // namespace

WorkedWhy worked_why(const WorkedModel& model, std::span<const Token> ids, Focus focus,
                     Token answer) {
    WorkedWhy why(model, ids, focus);
    const auto read = std::size_t(why.focus.query) + 1;
    if (answer < 0 && read < ids.size()) answer = ids[read];
    ids = ids.first(read);
    WorkedPass pass;
    record(pass, model, ids);
    const Numbers logits = pass.values("logits").row_copy(why.focus.query);
    if (answer < 0) answer = Token(largest(logits));
    why.answer = {answer, model.tokenizer.name(answer), logits[std::size_t(answer)],
                  std::exp(log_probability(logits, answer))};
    why.rank = rank_of(logits, answer);
    add_effects(why, model, ids);
    add_lens(why, model, pass);
    add_parts(why, model, pass);
    return why;
}

}  // namespace zhuyi
