#include "film/push_plan.h"

#include <algorithm>
#include <map>

#include "attention/roles.h"
#include "base/check.h"
#include "film/config.h"
#include "text/tokenizer.h"
#include "text/utf8.h"

namespace zhuyi {
namespace {

std::vector<Token> pushed_tokens(const HistoryConfig& config, const Tokenizer& tokenizer,
                                 const std::vector<std::vector<Token>>& sentences) {
    std::vector<Token> chosen;
    const auto add = [&](Token token) {
        if (std::ranges::find(chosen, token) == chosen.end()) chosen.push_back(token);
    };
    if (config.why == "off") return chosen;
    for (std::string_view character : utf8::Characters(config.why)) {
        const std::vector<Token> tokens = tokenizer.encode(character);
        if (tokens.size() != 1)
            fail_usage({"history_why: %s has no token of its own in this text's vocabulary",
                        "history_why：词表中没有“%s”这个字"},
                       character);
        add(tokens[0]);
    }
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
using Frequencies = std::vector<std::pair<Key, Index>>;

// Most frequent first; of equals the smaller first.
template <class Key>
Frequencies<Key> by_frequency(const std::map<Key, Index>& counts) {
    Frequencies<Key> sorted(counts.begin(), counts.end());
    std::ranges::stable_sort(sorted, std::greater(), &std::pair<Key, Index>::second);
    return sorted;
}

std::array<PushContext, std::size_t(kPushPlaces)> contexts_of(Token token,
                                                              std::span<const Token> train,
                                                              const std::map<Token, Index>& all) {
    std::map<Pair, Index> around;
    std::map<Token, Index> before;
    for (std::size_t i = 1; i < train.size(); ++i) {
        if (train[i] != token) continue;
        ++before[train[i - 1]];
        if (i + 1 < train.size()) ++around[{train[i - 1], train[i + 1]}];
    }
    std::array<PushContext, std::size_t(kPushPlaces)> places;
    const auto place = [&](Index i) -> PushContext& { return places[std::size_t(i)]; };
    place(kOtherRead) = {PushKind::read};
    place(kOtherAnswer) = {PushKind::answer};
    const Frequencies<Pair> pairs = by_frequency(around);
    for (Index i = 0; i < std::ssize(pairs); ++i) {
        const auto& [pair, times] = pairs[std::size_t(i)];
        if (i < kReadPlaces)
            place(i) = {PushKind::read, pair.first, pair.second, times};
        else
            place(kOtherRead).times += times;
    }
    const Frequencies<Token> first = by_frequency(before);
    for (Index i = 0; i < std::ssize(first); ++i) {
        const auto& [other, times] = first[std::size_t(i)];
        if (i >= kBeforePlaces) {
            place(kOtherAnswer).times += times;
            continue;
        }
        place(kFirstAnswer + i) = {PushKind::answer, other, kAnyOther, times};
        place(kFirstGuess + i) = {PushKind::guess, other, kAnyOther, all.at(other) - times};
    }
    return places;
}

}  // namespace

PushPlan plan_pushes(const HistoryConfig& config, const Tokenizer& tokenizer,
                     const std::vector<std::vector<Token>>& sentences,
                     std::span<const Token> train) {
    PushPlan plan;
    if (train.empty()) return plan;
    plan.tokens = pushed_tokens(config, tokenizer, sentences);
    std::map<Token, Index> all;
    for (const Token token : train) ++all[token];
    for (const Token token : plan.tokens) plan.contexts.push_back(contexts_of(token, train, all));
    return plan;
}

}  // namespace zhuyi
