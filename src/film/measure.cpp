#include "film/measure.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "attention/neighbors.h"
#include "attention/roles.h"
#include "autograd/tape.h"
#include "base/grid.h"
#include "base/parallel.h"
#include "film/stream_list.h"
#include "generate/generate.h"
#include "model/block.h"
#include "model/gpt.h"
#include "model/parameters.h"
#include "text/ngram.h"
#include "text/tokenized.h"
#include "train/optimizer.h"

namespace zhuyi {

void measure_text(Measured& out, const TokensPerCharacter& per_character, const Levels& levels) {
    out["tokens_per_character"] = {per_character.train, per_character.validation};
    const auto& [counting, floor] = levels;
    out["levels"] = {counting.unigram, counting.bigram, counting.trigram, floor.value_or(0)};
}

void measure_parameters(Measured& out, Parameters& parameters, In first,
                        const std::vector<UpdateSize>& update) {
    const std::vector<Parameter>& table = parameters.table();
    const auto column = [&](const char* name) -> List<double>& {
        List<double>& all = out[std::string("parameter.") + name];
        all.assign(table.size(), 0);
        return all;
    };
    List<double>&norm = column("norm"), &gradient = column("gradient");
    List<double>&from_start = column("from_start"), &ratio = column("ratio");
    parallel_for(std::ssize(table), 1e5, [&](Index row) {
        const Parameter& p = table[std::size_t(row)];
        const Out w = parameters.value(p), g = parameters.grad(p);
        const In start = first.subspan(std::size_t(p.offset), w.size());
        double norms = 0, ways = 0, slopes = 0;  // sums of squares
        for (std::size_t i = 0; i < w.size(); ++i) {
            const double now = double(w[i]), way = now - double(start[i]);
            norms += now * now;
            ways += way * way;
            if (!update.empty() && !p.frozen) slopes += double(g[i]) * double(g[i]);
        }
        norm[row] = std::sqrt(norms), from_start[row] = std::sqrt(ways);
        gradient[row] = std::sqrt(slopes);
        const UpdateSize size = update.empty() ? UpdateSize{} : update[std::size_t(row)];
        if (size.before > 0) ratio[row] = size.moved / size.before;
    });
}

void measure_watched(Measured& out, const Tensor& E, View<const Token> watched, In first,
                     const List<double>& last_moved) {
    const Index C = E.columns();
    List<double>& all = out["watched.moved"];
    for (Index i = 0; i < watched.count(); ++i) {
        double from_start = 0, from_last = 0;
        for (Index c = 0; c < C; ++c) {
            const Index at = watched[i] * C + c;
            const double moved = double(E.value[at]) - double(first[std::size_t(at)]);
            const double since = moved - last_moved[i * C + c];
            all.push_back(moved);
            from_start += moved * moved;
            from_last += since * since;
        }
        out["watched.from_start"].push_back(std::sqrt(from_start));
        out["watched.from_last"].push_back(std::sqrt(from_last));
    }
}

void measure_neighbours(Measured& out, const Tensor& E, const std::vector<Token>& watched,
                        const std::vector<Token>& candidates, Workspace& workspace) {
    for (const auto& found : nearest(E, watched, candidates, kNeighbours, workspace))
        for (std::size_t k = 0; k < std::size_t(kNeighbours); ++k) {
            const Neighbour near = k < found.size() ? found[k] : Neighbour{-1, 0};
            out["watched.neighbours"].push_back(near.token);
            out["watched.cosine"].push_back(near.cosine);
        }
}

void LookupGradient::gradient(std::string_view, const Tensor&, In dx) {
    for (Index row = 0; row < ids_.count(); ++row) {
        const Index place = place_of_[ids_[row]];
        for (Index c = 0; place >= 0 && c < C_; ++c)
            sums_[place * C_ + c] += double(dx[std::size_t(row * C_ + c)]);
    }
}

void LookupGradient::measure(Measured& out, const Tensor& E, View<const Token> watched,
                             bool tied) const {
    for (Index i = 0; i < watched.count(); ++i) {
        double lookup = 0, head = 0;
        for (Index c = 0; E.gradient && c < C_; ++c) {
            const double whole = double(E.gradient->data[watched[i] * C_ + c]);
            const double part = sums_[i * C_ + c];
            lookup += part * part;
            head += (whole - part) * (whole - part);
        }
        out["watched.lookup"].push_back(std::sqrt(lookup));
        out["watched.head"].push_back(tied ? std::sqrt(head) : 0);
    }
}

void Followed::add(Index t, const List<double>& p, const List<Token>& likeliest,
                   List<double>& tokens, List<double>& probabilities) {
    if (t >= highest_.count()) highest_.resize(std::size_t(t + 1));
    std::map<Token, float>& highest = highest_[t];
    for (const Token token : likeliest) highest.try_emplace(token, 0.f);
    for (auto& [token, most] : highest) most = std::max(most, float(p[token]));
    List<std::pair<Token, float>> order(highest.begin(), highest.end());
    std::ranges::stable_sort(order, std::greater(), &std::pair<Token, float>::second);
    order.resize(std::min(order.size(), std::size_t(kFollowed)));
    highest = {order.begin(), order.end()};
    for (Index k = 0; k < kFollowed; ++k) {
        const Token token = k < order.count() ? order[k].first : -1;
        tokens.push_back(token);
        probabilities.push_back(token < 0 ? 0 : p[token]);
    }
}

void Followed::again(const List<Token>& tokens, const List<double>& probabilities) {
    const Index T = tokens.count() / kFollowed;
    if (T > highest_.count()) highest_.resize(std::size_t(T));
    for (Index t = 0; t < T; ++t) {
        std::map<Token, float> now;
        for (Index k = t * kFollowed; k < (t + 1) * kFollowed; ++k) {
            if (tokens[k] < 0) continue;
            const auto before = highest_[t].find(tokens[k]);
            const float most = before == highest_[t].end() ? 0.f : before->second;
            now[tokens[k]] = std::max(most, float(probabilities[k]));
        }
        highest_[t] = std::move(now);
    }
}

std::vector<Followed> followed_in(const History& history) {
    std::vector<Followed> all(history.sentences.size());
    for (const Frame& frame : history.frames)
        for (std::size_t s = 0; s < all.size(); ++s) {
            const std::string tokens = sentence_stream(s, "followed");
            const std::string probability = sentence_stream(s, "followed_probability");
            if (history.carries(frame, tokens) && history.carries(frame, probability))
                all[s].again(history.numbers(frame, tokens).as<Token>(),
                             history.numbers(frame, probability).as<double>());
        }
    return all;
}

// The likeliest tokens of these logits (V), likeliest first.
static List<Token> likeliest(const List<double>& logits) {
    List<Token> order(logits.size());
    std::iota(order.begin(), order.end(), Token(0));
    const auto end = order.begin() + std::min<Index>(kTopPredictions, order.count());
    std::partial_sort(order.begin(), end, order.end(), [&](Token a, Token b) {
        return logits[a] != logits[b] ? logits[a] > logits[b] : a < b;
    });
    order.erase(end, order.end());
    return order;
}

void measure_sentence(Measured& out, std::size_t number, Gpt& model, Tape& tape,
                      View<const Token> sentence, Followed& followed, bool snapshot) {
    const auto stream = [&](const char* part) -> List<double>& {
        return out[sentence_stream(number, part)];
    };
    const Grid logits(logits_with_attention(model, tape, sentence, stream("attention")));  // (T, V)
    for (Index t = 0; t < sentence.count(); ++t) {
        const Numbers row = logits.row_copy(t), p = softmax(row);
        const List<Token> top = likeliest(row);
        for (Index i = 0; i < kTopPredictions; ++i) {
            stream("top").push_back(i < top.count() ? top[i] : -1);
            stream("probability").push_back(i < top.count() ? p[top[i]] : 0);
        }
        const bool last = t + 1 == sentence.count();
        const double next = last ? 0 : row[sentence[t + 1]];
        const auto likelier = [&](double z) { return z > next; };
        stream("next").push_back(last ? 0 : p[sentence[t + 1]]);
        stream("rank").push_back(last ? 0 : double(1 + std::ranges::count_if(row, likelier)));
        followed.add(t, p, top, stream("followed"), stream("followed_probability"));
        if (last && snapshot) stream("logits") = row;
    }
}

void measure_weights(Measured& out, Parameters& parameters) {
    List<double>& all = out[kSnapshot];
    for (const Parameter& p : parameters.table()) {
        const Out values = parameters.value(p);
        all.insert(all.end(), values.begin(), values.end());
    }
}

void measure_sample(Measured& out, Gpt& model, const Tokenizer& tokenizer,
                    std::span<const Token> prompt, Index count) {
    std::vector<Token> text(prompt.begin(), prompt.end());
    generate(model, prompt, SamplerConfig{}, Continuation{count, tokenizer.end_of_text()},
             [&](Index, Token token, In) {
                 text.push_back(token);
                 return true;
             });
    for (const char byte : tokenizer.decode(text))
        out["sample"].push_back(static_cast<unsigned char>(byte));
}

}  // namespace zhuyi
