#include "film/followed.h"

#include <algorithm>

#include "film/stream_list.h"

namespace zhuyi {

void Followed::add(std::size_t t, const std::vector<double>& p, const std::vector<Token>& likeliest,
                   std::vector<double>& tokens, std::vector<double>& probabilities) {
    positions_.resize(std::max(positions_.size(), t + 1));
    Highest& highest = positions_[t];
    for (const Token token : likeliest) highest.try_emplace(token, 0.f);
    for (auto& [token, most] : highest) most = std::max(most, float(p[std::size_t(token)]));
    std::vector<std::pair<Token, float>> order(highest.begin(), highest.end());
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    order.resize(std::min<std::size_t>(order.size(), std::size_t(kFollowed)));
    highest = Highest(order.begin(), order.end());
    for (Index k = 0; k < kFollowed; ++k) {
        const bool there = k < std::ssize(order);
        const Token token = there ? order[std::size_t(k)].first : -1;
        tokens.push_back(token);
        probabilities.push_back(there ? p[std::size_t(token)] : 0);
    }
}

void Followed::again(const std::vector<Token>& tokens, const std::vector<double>& probabilities) {
    const std::size_t T = tokens.size() / std::size_t(kFollowed);
    positions_.resize(std::max(positions_.size(), T));
    for (std::size_t t = 0; t < T; ++t) {
        Highest now;
        for (std::size_t k = t * std::size_t(kFollowed); k < (t + 1) * std::size_t(kFollowed);
             ++k) {
            if (tokens[k] < 0) continue;
            const auto before = positions_[t].find(tokens[k]);
            const float most = before == positions_[t].end() ? 0.f : before->second;
            now[tokens[k]] = std::max(most, float(probabilities[k]));
        }
        positions_[t] = std::move(now);
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

}  // namespace zhuyi
