#include "generate/sampler.h"

#include <algorithm>

#include "base/math.h"
#include "system/options.h"

namespace zhuyi {

void declare(Options& options, SamplerConfig& c) {
    options.group({"sampling", "采样"});
    options.add("temperature", c.temperature, "",
                {"below 1 safer, above 1 bolder; 0: always the most likely",
                 "温度：越低越保守，越高越随机；0 表示总取概率最大的"},
                0, 100);
    options.add("top_k", c.top_k, "tokens",
                {"keep only the k most likely (Fan et al. 2018); 0: all",
                 "只保留概率最大的 k 个（Fan 等 2018）；0 表示全部"});
    options.add("top_p", c.top_p, "",
                {"keep the most likely ones that together reach p (Holtzman et al. 2020)",
                 "从概率最大的取起，累计达到 p 为止，其余舍去（Holtzman 等 2020）"},
                0, 1);
    options.add(
        "min_p", c.min_p, "",
        {"keep tokens with at least this share of the likeliest one's probability (Nguyen et al. "
         "2024)",
         "只保留概率不低于“最大概率乘以此数”的 token（Nguyen 等 2024）"},
        0, 1);
    options.add(
        "repetition_penalty", c.repetition_penalty, "",
        {"above 1: tokens that the text already has become less likely (Keskar et al. 2019)",
         "大于 1 时，文中已出现的 token 变得不太可能（Keskar 等 2019）"},
        1e-3, 1e3);
    options.add(
        "frequency_penalty", c.frequency_penalty, "",
        {"taken from a token's score for each time that the text has it (as in OpenAI's API)",
         "文中每出现一次，就从该 token 的分数里减去此数（同 OpenAI 的 API）"},
        -1e3, 1e3);
    options.add(
        "no_repeat", c.no_repeat, "tokens",
        {"no run of so many tokens stands twice in the text (Paulus et al. 2017); 0: they may",
         "连续这么多个 token 不重复出现（Paulus 等 2017）；0 表示不限制"});
    options.add("seed", c.seed, "", {"the same seed gives the same text", "种子相同，文本就相同"});
}

// As an object, so that sorting calls no function for it.
constexpr auto likelier = [](const Candidate& a, const Candidate& b) {
    return a.probability != b.probability ? a.probability > b.probability : a.token < b.token;
};

// Lowers the scores of tokens that the text has already. all[v] is of token v.
static void lower_known(std::vector<Candidate>& all, const SamplerConfig& c,
                        std::span<const Token> so_far) {
    std::vector<Index> times(all.size());
    for (const Token token : so_far) ++times[std::size_t(token)];
    for (std::size_t v = 0; v < all.size(); ++v) {
        if (times[v] == 0) continue;
        double& score = all[v].probability;
        score = score > 0 ? score / c.repetition_penalty : score * c.repetition_penalty;
        score -= c.frequency_penalty * double(times[v]);
    }
}

// Takes away the tokens that would end a run of n tokens which stands in the text already; if no
// token would be left, all stay.
static void forbid_repeated(std::vector<Candidate>& all, Index n, std::span<const Token> so_far) {
    const auto before = std::size_t(n - 1);
    if (so_far.size() < before) return;
    const auto last = so_far.last(before);
    std::vector<bool> forbidden(all.size());
    for (std::size_t at = 0; at + before < so_far.size(); ++at)
        if (std::ranges::equal(so_far.subspan(at, before), last))
            forbidden[std::size_t(so_far[at + before])] = true;
    if (std::ranges::find(forbidden, false) == forbidden.end()) return;
    std::erase_if(all, [&](const Candidate& c) { return forbidden[std::size_t(c.token)]; });
}

std::vector<Candidate> candidates(In logits, const SamplerConfig& config,
                                  std::span<const Token> so_far, double enough) {
    std::vector<Candidate> all(logits.size());
    for (std::size_t v = 0; v < all.size(); ++v) all[v] = {Token(v), double(logits[v])};
    if (config.looks_back()) lower_known(all, config, so_far);
    if (config.no_repeat > 0) forbid_repeated(all, config.no_repeat, so_far);
    // 1  the k best, by their scores
    std::size_t sorted = 0, most = all.size();
    const auto sort_to = [&](std::size_t end) {
        const auto at = [&](std::size_t i) { return all.begin() + std::ptrdiff_t(i); };
        if (end < all.size())
            std::partial_sort(at(sorted), at(end), all.end(), likelier);
        else
            std::sort(at(sorted), all.end(), likelier);  // twice as fast, for all of them
        sorted = end;
    };
    if (config.top_k > 0) most = std::min(most, std::size_t(config.top_k));
    if (config.temperature == 0) most = 1;
    if (most < all.size()) sort_to(most), all.resize(most);
    constexpr std::size_t kVeryFew = 4, kFew = 32;
    if (sorted == 0) sort_to(std::min(most, kVeryFew));
    // 2  softmax of score / temperature
    const double best = all.front().probability;
    const double temperature = config.temperature > 0 ? config.temperature : 1;
    std::vector<double> exponentials(all.size()), weights(logits.size());  // by place, by token
    for (std::size_t i = 0; i < all.size(); ++i)
        exponentials[i] = (all[i].probability - best) / temperature;
    math::fast_exp(exponentials);
    double sum = 0;
    for (std::size_t i = 0; i < all.size(); ++i)
        sum += weights[std::size_t(all[i].token)] = exponentials[i];
    // 3  the most likely ones, as few as reach p, and none far below the first (whose exp is 1);
    // where all count, as few as are enough. Sorted as far as they are looked at.
    const bool all_count = config.top_p == 1 && config.min_p == 0;
    std::vector<Candidate> kept;
    double reached = 0;
    for (std::size_t i = 0; i < most; ++i) {
        if (i == sorted) sort_to(sorted < kFew ? std::min(most, kFew) : most);
        const double weight = weights[std::size_t(all[i].token)];
        const bool in = weight >= config.min_p && reached < config.top_p * sum;
        if (i > 0 && !in) break;  // one of them is kept even where no score is a number
        kept.push_back({all[i].token, weight}), reached += weight;
        if (all_count && reached > enough * sum) break;
    }
    for (Candidate& c : kept) c.probability /= all_count ? sum : reached;
    return kept;
}

Token pick(const std::vector<Candidate>& candidates, double uniform) {
    for (const Candidate& c : candidates) {
        if (uniform < c.probability) return c.token;
        uniform -= c.probability;
    }
    return candidates.back().token;  // by rounding the sum may be a little less than 1
}

double log_probability(In logits, Token token) {
    const double best = *std::ranges::max_element(logits);
    std::vector<double> exponentials(logits.begin(), logits.end());
    for (double& score : exponentials) score -= best;
    math::fast_exp(exponentials);
    double sum = 0;
    for (const double e : exponentials) sum += e;
    return double(logits[std::size_t(token)]) - best - math::log(sum);
}

}  // namespace zhuyi
