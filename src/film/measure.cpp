#include "film/measure.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "attention/neighbors.h"
#include "autograd/tape.h"
#include "base/math.h"
#include "base/parallel.h"
#include "film/followed.h"
#include "film/stream_list.h"
#include "generate/generate.h"
#include "model/block.h"
#include "model/gpt.h"
#include "model/parameters.h"
#include "text/levels.h"
#include "text/tokenized.h"
#include "train/optimizer.h"

namespace zhuyi {
namespace {

// Probabilities (V) of these logits.
std::vector<double> softmax(In logits) {
    double largest = double(logits[0]), sum = 0;
    for (const Real z : logits) largest = std::max(largest, double(z));
    std::vector<double> p;
    for (const Real z : logits) sum += p.emplace_back(math::exp(double(z) - largest));
    for (double& x : p) x /= sum;
    return p;
}

// The likeliest tokens, likeliest first.
std::vector<Token> likeliest(In logits) {
    std::vector<Token> order(logits.size());
    std::iota(order.begin(), order.end(), Token(0));
    const auto end = order.begin() + std::min<Index>(kTopPredictions, std::ssize(order));
    const auto logit = [&](Token token) { return logits[std::size_t(token)]; };
    std::partial_sort(order.begin(), end, order.end(), [&](Token a, Token b) {
        return logit(a) != logit(b) ? logit(a) > logit(b) : a < b;
    });
    order.erase(end, order.end());
    return order;
}

// 1: no token is likelier.
Index rank_of(Token token, In logits) {
    const Real own = logits[std::size_t(token)];
    return 1 + std::count_if(logits.begin(), logits.end(), [&](Real z) { return z > own; });
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

void measure_text(Measured& out, const TokensPerCharacter& per_character, const Levels& levels) {
    out["tokens_per_character"] = {per_character.train, per_character.validation};
    const auto& [counting, floor] = levels;
    out["levels"] = {counting.unigram, counting.bigram, counting.trigram, floor.value_or(0)};
}

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
                      std::span<const Token> sentence, Followed& followed, Logits wanted) {
    const auto stream = [&](const char* part) -> std::vector<double>& {
        return out[sentence_stream(number, part)];
    };
    // (1, T, V)
    const Tensor logits = logits_with_attention(model, tape, sentence, stream("attention"));
    const auto V = std::size_t(logits.columns());
    for (std::size_t t = 0; t < sentence.size(); ++t) {
        const In row = logits.values().subspan(t * V, V);
        const std::vector<double> p = softmax(row);
        const std::vector<Token> top = likeliest(row);
        for (std::size_t i = 0; i < std::size_t(kTopPredictions); ++i) {
            stream("top").push_back(i < top.size() ? top[i] : -1);
            stream("probability").push_back(i < top.size() ? p[std::size_t(top[i])] : 0);
        }
        const bool last = t + 1 == sentence.size();
        stream("next").push_back(last ? 0 : p[std::size_t(sentence[t + 1])]);
        stream("rank").push_back(last ? 0 : double(rank_of(sentence[t + 1], row)));
        followed.add(t, p, top, stream("followed"), stream("followed_probability"));
    }
    const In last = logits.values().last(V);
    if (wanted == Logits::yes) stream("logits").assign(last.begin(), last.end());
}

void measure_weights(Measured& out, Parameters& parameters) {
    std::vector<double>& all = out[kSnapshot];
    for (const Parameter& p : parameters.table()) {
        const Out values = parameters.value(p);
        all.insert(all.end(), values.begin(), values.end());
    }
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
             [&](const Drawn& drawn) {
                 text.push_back(drawn.token);
                 return true;
             });
    for (const char byte : tokenizer.decode(text))
        out["sample"].push_back(static_cast<unsigned char>(byte));
}

}  // namespace zhuyi
