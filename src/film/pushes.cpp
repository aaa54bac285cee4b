#include "film/pushes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "attention/roles.h"
#include "base/check.h"
#include "base/math.h"
#include "base/parallel.h"
#include "film/config.h"
#include "formats/bytes.h"
#include "kernels/kernels.h"
#include "model/parameters.h"
#include "text/tokenizer.h"
#include "train/config.h"
#include "train/optimizer.h"

namespace zhuyi {
namespace {

std::vector<Token> pushed_tokens(const HistoryConfig& config, const Tokenizer& tokenizer,
                                 const std::vector<std::vector<Token>>& sentences) {
    std::vector<Token> chosen;
    const auto add = [&](Token token) {
        if (std::ranges::find(chosen, token) == chosen.end()) chosen.push_back(token);
    };
    if (config.why == "off") return chosen;
    for (const Token token : tokens_of("history_why", config.why, tokenizer)) add(token);
    if (std::ssize(chosen) > kMostPushed)
        fail_usage({"history_why: %zu characters; at most %td can be followed so closely",
                    "history_why：有 %zu 个字；最多只能这样跟踪 %td 个"},
                   chosen.size(), kMostPushed);
    if (!chosen.empty()) return chosen;
    const std::vector<bool> punctuation = punctuation_of(tokenizer);
    for (const auto& sentence : sentences)
        for (const Token token : sentence)
            if (!punctuation[std::size_t(token)] && tokenizer.count(token) > 0) add(token);
    std::ranges::stable_sort(chosen, std::greater(),
                             [&](Token token) { return tokenizer.count(token); });
    chosen.resize(std::min(chosen.size(), std::size_t(kUsuallyPushed)));
    return chosen;
}

using Pair = std::pair<Token, Token>;
template <class Key>
using Frequencies = List<std::pair<Key, Index>>;

// Most frequent first; of equals the smaller first.
template <class Key>
Frequencies<Key> by_frequency(const std::map<Key, Index>& counts) {
    Frequencies<Key> sorted(counts.begin(), counts.end());
    std::ranges::stable_sort(sorted, std::greater(), &std::pair<Key, Index>::second);
    return sorted;
}

List<PushContext> contexts_of(Token token, std::span<const Token> train,
                              const std::map<Token, Index>& all) {
    std::map<Pair, Index> around;
    std::map<Token, Index> before;
    for (std::size_t i = 1; i < train.size(); ++i) {
        if (train[i] != token) continue;
        ++before[train[i - 1]];
        if (i + 1 < train.size()) ++around[{train[i - 1], train[i + 1]}];
    }
    List<PushContext> places(kPushPlaces);
    places[kOtherRead] = {PushKind::read};
    places[kOtherAnswer] = {PushKind::answer};
    const Frequencies<Pair> pairs = by_frequency(around);
    for (Index i = 0; i < pairs.count(); ++i) {
        const auto& [pair, times] = pairs[i];
        if (i < kReadPlaces)
            places[i] = {PushKind::read, pair.first, pair.second, times};
        else
            places[kOtherRead].times += times;
    }
    const Frequencies<Token> first = by_frequency(before);
    for (Index i = 0; i < first.count(); ++i) {
        const auto& [other, times] = first[i];
        if (i >= kBeforePlaces) {
            places[kOtherAnswer].times += times;
            continue;
        }
        places[kFirstAnswer + i] = {PushKind::answer, other, kAnyOther, times};
        places[kFirstGuess + i] = {PushKind::guess, other, kAnyOther, all.at(other) - times};
    }
    return places;
}

}  // namespace

PushPlan plan_pushes(const HistoryConfig& config, const Tokenizer& tokenizer,
                     const std::vector<std::vector<Token>>& sentences,
                     std::span<const Token> train) {
    PushPlan plan;
    plan.tokens = pushed_tokens(config, tokenizer, sentences);
    if (train.empty()) return {};
    std::map<Token, Index> all;
    for (const Token token : train) ++all[token];
    for (const Token token : plan.tokens) plan.contexts.push_back(contexts_of(token, train, all));
    return plan;
}

Pushes::Pushes(Parameters& parameters, Optimizer& optimizer, const TrainConfig& config, bool tied,
               PushPlan plan)
    : parameters_(parameters),
      optimizer_(optimizer),
      config_(config),
      tied_(tied),
      plan_(std::move(plan)),
      E_(parameters.row("embedding.token")),
      C_(E_.shape.columns()),
      before_(plan_.tokens.size()),
      divisor_(std::size_t(plan_.tokens.count() * C_)) {
    for (const List<PushContext>& contexts : plan_.contexts) {
        moved_.emplace_back(kPushPlaces, C_);
        List<Index>& answers = answers_.emplace_back(E_.shape.rows(), kOtherAnswer);
        List<Index>& guesses = guesses_.emplace_back(E_.shape.rows(), -1);
        for (Index i = 0; i < kBeforePlaces; ++i)
            if (const PushContext& c = contexts[kFirstAnswer + i]; c.kind == PushKind::answer) {
                answers[c.before] = kFirstAnswer + i;
                guesses[c.before] = kFirstGuess + i;
            }
    }
}

Out Pushes::row(Out table, Index token) const {
    return View(table).part(plan_.tokens[token] * C_, C_);
}

Watcher* Pushes::watch(Index step) {
    if (state_ == State::new_one) state_ = step == 1 ? State::going : State::late;
    if (state_ == State::late) return nullptr;
    for (Index w = 0; w < before_.count(); ++w) {
        const Out now = row(parameters_.value(E_), w);
        before_[w].assign(now.begin(), now.end());
    }
    return this;
}

bool Pushes::wants(std::string_view name) const {
    return name == "embedding" || (tied_ && (name == "final_norm" || name == "logits"));
}

void Pushes::value(std::string_view name, const Tensor& tensor) {
    if (name == "final_norm") last_ = tensor.values();
}

void Pushes::gradient(std::string_view name, const Tensor&, In gradient) {
    const bool reads = name == "embedding";
    if (!reads && name != "logits") return;
    parallel_for(plan_.tokens.count(), 1e5,
                 [&](Index w) { reads ? add_reads(w, gradient) : add_predictions(w, gradient); });
}

// dx: (B, T, C)
void Pushes::add_reads(Index w, View<const Real> dx) {
    const View<const Token> ids = batch_.ids, targets = batch_.targets;
    const Index T = ids.count() / batch_.texts;
    const auto pairs = View<const PushContext>(plan_.contexts[w]).part(0, kReadPlaces);
    for (Index i = 0; i < ids.count(); ++i) {
        if (ids[i] != plan_.tokens[w]) continue;
        const Token before = i % T ? ids[i - 1] : kAnyOther;
        const auto known = std::ranges::find_if(pairs, [&](const PushContext& c) {
            return c.kind == PushKind::read && c.before == before && c.next == targets[i];
        });
        Numbers& sum = moved_[w].gradient(known - pairs.begin());  // or kOtherRead
        for (Index c = 0; c < C_; ++c) sum[c] += double(dx[i * C_ + c]);
    }
}

// dz: (B, T, V). The gradient of E[w] is Σ_t dz[t, w] · (what the output layer reads at t).
void Pushes::add_predictions(Index w, View<const Real> dz) {
    const View<const Token> ids = batch_.ids, targets = batch_.targets;
    const Index V = E_.shape.rows();
    const Token token = plan_.tokens[w];
    for (Index i = 0; i < ids.count(); ++i) {
        const Index place = (targets[i] == token ? answers_ : guesses_)[w][ids[i]];
        if (place < 0) continue;
        Numbers& sum = moved_[w].gradient(place);
        const double slope = double(dz[i * V + token]);
        for (Index c = 0; c < C_; ++c) sum[c] += slope * double(last_[i * C_ + c]);
    }
}

void Pushes::step_done(const StepReport& report) {
    if (state_ != State::going) return;
    const auto kept = optimizer_.state_of(E_);  // m and v
    const UpdateStep made{report.step, report.learning_rate,
                          clip_scale(report.gradient_norm, config_.clip)};
    const AdamWStep step = adamw_step(config_, E_, made);
    const double left = 1 - math::power(step.beta2, double(step.step));
    parallel_for(moved_.count(), 1e4, [&](Index w) {
        const View<Real> v = row(kept[1].values, w);
        moved_[w].update(before_[w], row(kept[0].values, w), v, step);
        for (Index c = 0; c < C_; ++c)
            divisor_[w * C_ + c] = std::sqrt(double(v[c]) / left) + step.epsilon;
    });
}

void Pushes::describe(Measured& out) const {
    Numbers& all = out["pushed.contexts"];
    for (Index w = 0; w < plan_.tokens.count(); ++w) {
        out["pushed"].push_back(plan_.tokens[w]);
        for (const PushContext& c : plan_.contexts[w])
            all.insert(all.end(),
                       {double(c.kind), double(c.before), double(c.next), double(c.times)});
    }
}

void Pushes::measure(Measured& out) const {
    if (state_ == State::late) return;
    Numbers& all = out["pushed.moved"];
    for (const MovedBy& moved : moved_) {
        for (Index k = 0; k < kPushPlaces; ++k)
            all.insert(all.end(), moved.moved(k).begin(), moved.moved(k).end());
        const Numbers rest = moved.by_rest();
        all.insert(all.end(), rest.begin(), rest.end());
        all.insert(all.end(), moved.by_decay().begin(), moved.by_decay().end());
    }
    out["pushed.divisor"] = divisor_;
}

std::string Pushes::state() {
    if (state_ != State::going || moved_.empty()) return {};
    Numbers all;
    for (const MovedBy& moved : moved_) {
        const Numbers one = moved.state();
        all.insert(all.end(), one.begin(), one.end());
    }
    return base64({reinterpret_cast<const char*>(all.data()), all.size() * sizeof(double)});
}

void Pushes::resume(const std::string& state) {
    state_ = State::new_one;
    if (state.empty()) return;
    const std::string bytes = from_base64(state).value_or("");
    const Index one = MovedBy::state_length(kPushPlaces, C_);
    Numbers all(std::size_t(moved_.count() * one));
    if (bytes.size() != all.size() * sizeof(double))
        fail({"the checkpoint's state of history_why is damaged: expected %zu bytes, found %zu. Go "
              "on without the history: --history=no",
              "检查点里 history_why 的状态已损坏：应有 %zu 字节，却是 %zu。可以用 --history=no "
              "不带回放继续"},
             all.size() * sizeof(double), bytes.size());
    std::memcpy(all.data(), bytes.data(), bytes.size());
    for (Index w = 0; w < moved_.count(); ++w)
        moved_[w].restore(View<const double>(all).part(w * one, one));
    state_ = State::going;
}

}  // namespace zhuyi
