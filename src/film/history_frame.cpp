#include "film/history_frame.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/math.h"
#include "base/parallel.h"
#include "generate/generate.h"

namespace zhuyi {
namespace {

// Keeps what lies on and below the diagonal of each map; blocks come in order.
class ProbeWatcher : public Watcher {
  public:
    explicit ProbeWatcher(std::vector<std::uint16_t>& levels) : levels_(levels) {}
    bool wants(std::string_view name) const override {
        return name.ends_with(".attention.weights");
    }
    void value(std::string_view, const Tensor& weights) override {  // (1, H, T, T)
        const Index T = weights.shape[2];
        for (Index row = 0; row < weights.rows(); ++row)
            for (Index s = 0; s <= row % T; ++s)
                levels_.push_back(
                    std::uint16_t(std::lrint(double(weights.value[row * T + s]) * 65535)));
    }

  private:
    std::vector<std::uint16_t>& levels_;
};

void add_top(ProbeFrame& probe, In scores) {
    std::vector<Token> order(scores.size());
    std::iota(order.begin(), order.end(), Token(0));
    const auto end = order.begin() + std::min<Index>(kTopPredictions, std::ssize(order));
    const auto score = [&](Token token) { return double(scores[std::size_t(token)]); };
    std::partial_sort(order.begin(), end, order.end(), [&](Token a, Token b) {
        return score(a) != score(b) ? score(a) > score(b) : a < b;
    });
    double sum = 0;
    for (Real z : scores) sum += math::exp(double(z) - score(order[0]));
    for (Index i = 0; i < kTopPredictions; ++i) {
        const bool there = i < std::ssize(order);
        const Token token = there ? order[std::size_t(i)] : -1;
        probe.top.push_back(token);
        probe.probability.push_back(there ? float(math::exp(score(token) - score(order[0])) / sum)
                                          : 0);
    }
}

struct Sizes {
    double norm = 0, from_start = 0, gradient = 0, update = 0, before = 0;  // sums of squares
};

Sizes sizes_of(Parameters& parameters, const Parameter& p, In first, const TrainConfig& c,
               const LastUpdate& last) {
    Sizes sum;
    const Out w = parameters.value(p), g = parameters.grad(p), m = parameters.m(p),
              v = parameters.v(p);
    const bool moved = last.step > 0 && !p.frozen;
    const double one = moved ? 1 / (1 - math::power(c.beta1, double(last.step))) : 0;
    const double two = moved ? 1 / (1 - math::power(c.beta2, double(last.step))) : 0;
    const double rate = last.learning_rate, kept = 1 - rate * (p.decay ? c.weight_decay : 0);
    for (std::size_t i = 0; i < w.size(); ++i) {
        const double now = double(w[i]), way = now - double(first[std::size_t(p.offset) + i]);
        sum.norm += now * now;
        sum.from_start += way * way;
        if (!moved) continue;
        const double direction = double(m[i]) * one / (std::sqrt(double(v[i]) * two) + c.epsilon);
        const double before = (now + rate * direction) / kept;
        sum.gradient += double(g[i]) * double(g[i]);
        sum.update += (now - before) * (now - before);
        sum.before += before * before;
    }
    return sum;
}

}  // namespace

ProbeFrame probe_frame(Gpt& model, Tape& tape, std::span<const Token> sentence) {
    ProbeFrame probe;
    ProbeWatcher watcher(probe.attention);
    tape.reset();
    tape.watch(&watcher);
    const Tensor logits = model.logits(tape, sentence, 1, Pass{});  // (1, T, V)
    tape.watch(nullptr);
    for (Index t = 0; t < logits.rows(); ++t)
        add_top(probe, logits.values().subspan(std::size_t(t * logits.columns()),
                                               std::size_t(logits.columns())));
    return probe;
}

ParameterFrame parameter_frame(Parameters& parameters, In first, const TrainConfig& config,
                               const LastUpdate& update) {
    const std::vector<Parameter>& table = parameters.table();
    std::vector<Sizes> sums(table.size());
    parallel_for(std::ssize(table), 1e5, [&](Index row) {
        const auto r = std::size_t(row);
        sums[r] = sizes_of(parameters, table[r], first, config, update);
    });
    ParameterFrame frame;
    for (const Sizes& s : sums) {
        frame.norm.push_back(float(std::sqrt(s.norm)));
        frame.from_start.push_back(float(std::sqrt(s.from_start)));
        frame.gradient.push_back(float(std::sqrt(s.gradient)));
        frame.ratio.push_back(s.before > 0 ? float(std::sqrt(s.update / s.before)) : 0);
    }
    return frame;
}

std::vector<const Parameter*> matrices_of(const std::vector<Parameter>& table, Index block) {
    std::vector<const Parameter*> matrices;
    for (const Parameter& p : table)
        if (p.block == block && p.shape.rank() == 2) matrices.push_back(&p);
    return matrices;
}

std::string sample_text(Gpt& model, const Tokenizer& tokenizer, std::span<const Token> prompt,
                        Index count) {
    std::vector<Token> text(prompt.begin(), prompt.end());
    generate(model, prompt, SamplerConfig{}, Continuation{count, tokenizer.end_of_text()},
             [&](Index, Token token) {
                 text.push_back(token);
                 return true;
             });
    return tokenizer.decode(text);
}

}  // namespace zhuyi
