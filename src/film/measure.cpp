#include "film/measure.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "attention/neighbors.h"
#include "autograd/tape.h"
#include "base/math.h"
#include "base/parallel.h"
#include "film/stream_list.h"
#include "generate/generate.h"
#include "model/block.h"
#include "model/gpt.h"
#include "model/parameters.h"
#include "text/tokenizer.h"
#include "train/optimizer.h"

namespace zhuyi {
namespace {

// Keeps the weights on and below the diagonal of each map, block after block.
class AttentionWatcher : public Watcher {
  public:
    explicit AttentionWatcher(std::vector<double>& weights) : weights_(weights) {}
    bool wants(std::string_view name) const override {
        return name.ends_with(".attention.weights");
    }
    void value(std::string_view, const Tensor& weights) override {  // (1, H, T, T)
        const Index T = weights.shape[2];
        for (Index row = 0; row < weights.rows(); ++row)
            for (Index s = 0; s <= row % T; ++s)
                weights_.push_back(double(weights.value[row * T + s]));
    }

  private:
    std::vector<double>& weights_;
};

// The likeliest tokens by their logits (V), and their probabilities.
void add_top(std::vector<double>& top, std::vector<double>& probability, In logits) {
    std::vector<Token> order(logits.size());
    std::iota(order.begin(), order.end(), Token(0));
    const auto end = order.begin() + std::min<Index>(kTopPredictions, std::ssize(order));
    const auto logit = [&](Token token) { return double(logits[std::size_t(token)]); };
    std::partial_sort(order.begin(), end, order.end(), [&](Token a, Token b) {
        return logit(a) != logit(b) ? logit(a) > logit(b) : a < b;
    });
    double sum = 0;
    for (Real z : logits) sum += math::exp(double(z) - logit(order[0]));
    for (Index i = 0; i < kTopPredictions; ++i) {
        const bool there = i < std::ssize(order);
        const Token token = there ? order[std::size_t(i)] : -1;
        top.push_back(token);
        probability.push_back(there ? math::exp(logit(token) - logit(order[0])) / sum : 0);
    }
}

struct Sizes {
    double norm = 0, from_start = 0, gradient = 0;  // sums of squares
};

Sizes sizes_of(Parameters& parameters, const Parameter& p, In first, bool moved) {
    Sizes sum;
    const Out w = parameters.value(p), g = parameters.grad(p);
    for (std::size_t i = 0; i < w.size(); ++i) {
        const double now = double(w[i]), way = now - double(first[std::size_t(p.offset) + i]);
        sum.norm += now * now;
        sum.from_start += way * way;
        if (moved) sum.gradient += double(g[i]) * double(g[i]);
    }
    return sum;
}

}  // namespace

void measure_parameters(Measured& out, Parameters& parameters, In first,
                        const std::vector<UpdateSize>& update) {
    const std::vector<Parameter>& table = parameters.table();
    std::vector<Sizes> sums(table.size());
    parallel_for(std::ssize(table), 1e5, [&](Index row) {
        const auto r = std::size_t(row);
        sums[r] = sizes_of(parameters, table[r], first, !update.empty() && !table[r].frozen);
    });
    for (std::size_t r = 0; r < table.size(); ++r) {
        const UpdateSize size = update.empty() ? UpdateSize{} : update[r];
        out["parameter.norm"].push_back(std::sqrt(sums[r].norm));
        out["parameter.from_start"].push_back(std::sqrt(sums[r].from_start));
        out["parameter.gradient"].push_back(std::sqrt(sums[r].gradient));
        out["parameter.ratio"].push_back(size.before > 0 ? size.moved / size.before : 0);
    }
}

void measure_sentence(Measured& out, std::size_t number, Gpt& model, Tape& tape,
                      std::span<const Token> sentence) {
    AttentionWatcher watcher(out[sentence_stream(number, "attention")]);
    tape.reset();
    const Watching watching(tape, watcher);
    const Tensor logits = model.logits(tape, sentence, 1, Pass{});  // (1, T, V)
    std::vector<double>& top = out[sentence_stream(number, "top")];
    std::vector<double>& probability = out[sentence_stream(number, "probability")];
    for (Index t = 0; t < logits.rows(); ++t)
        add_top(top, probability,
                logits.values().subspan(std::size_t(t * logits.columns()),
                                        std::size_t(logits.columns())));
}

void measure_neighbours(Measured& out, const Tensor& E, const std::vector<Token>& watched,
                        const std::vector<Token>& candidates, Workspace& workspace) {
    std::vector<double>& tokens = out["watched.neighbours"];
    std::vector<double>& cosine = out["watched.cosine"];
    for (const auto& found : nearest(E, watched, candidates, kNeighbours, workspace))
        for (std::size_t k = 0; k < std::size_t(kNeighbours); ++k) {
            tokens.push_back(k < found.size() ? found[k].token : -1);
            cosine.push_back(k < found.size() ? found[k].cosine : 0);
        }
}

void measure_sample(Measured& out, Gpt& model, const Tokenizer& tokenizer,
                    std::span<const Token> prompt, Index count) {
    std::vector<Token> text(prompt.begin(), prompt.end());
    generate(model, prompt, SamplerConfig{}, Continuation{count, tokenizer.end_of_text()},
             [&](Index, Token token) {
                 text.push_back(token);
                 return true;
             });
    for (const char byte : tokenizer.decode(text))
        out["sample"].push_back(static_cast<unsigned char>(byte));
}

}  // namespace zhuyi
