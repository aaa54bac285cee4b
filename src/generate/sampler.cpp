#include "generate/sampler.h"

#include <algorithm>

#include "base/math.h"
#include "system/options.h"

namespace zhuyi {

void declare(Options& options, SamplerConfig& c) {
    options.group({"sampling", "采样"});
    options.add("temperature", c.temperature, "",
                {"below 1 safer, above 1 bolder; 0: always the most likely",
                 "小于 1 更稳，大于 1 更大胆；0 表示总取最可能的"},
                0, 100);
    options.add("top_k", c.top_k, "tokens",
                {"keep only the k most likely; 0: all", "只保留最可能的 k 个；0 表示全部"});
    options.add("top_p", c.top_p, "",
                {"keep the most likely ones that together reach p",
                 "只保留最可能的若干个，使概率之和达到 p"},
                0, 1);
    options.add("seed", c.seed, "", {"the same seed gives the same text", "种子相同，文本就相同"});
}

std::vector<Candidate> candidates(In logits, const SamplerConfig& config) {
    std::vector<Candidate> all;
    all.reserve(logits.size());
    for (std::size_t v = 0; v < logits.size(); ++v) all.push_back({Token(v), double(logits[v])});
    const auto likelier = [](const Candidate& a, const Candidate& b) {
        return a.probability != b.probability ? a.probability > b.probability : a.token < b.token;
    };
    // 1  the k best, by their scores
    std::size_t kept = all.size();
    if (config.top_k > 0) kept = std::min(kept, std::size_t(config.top_k));
    if (config.temperature == 0) kept = 1;
    if (kept < all.size()) {
        std::partial_sort(all.begin(), all.begin() + std::ptrdiff_t(kept), all.end(), likelier);
        all.resize(kept);
    } else {
        std::sort(all.begin(), all.end(), likelier);  // twice as fast, for all of them
    }
    // 2  softmax of score / temperature
    const double best = all.front().probability;
    const double temperature = config.temperature > 0 ? config.temperature : 1;
    double sum = 0;
    for (Candidate& c : all) sum += c.probability = math::exp((c.probability - best) / temperature);
    // 3  the most likely ones, as few as reach p
    double reached = 0;
    std::size_t nucleus = 0;
    while (nucleus < all.size() && (nucleus == 0 || reached < config.top_p * sum))
        reached += all[nucleus++].probability;
    all.resize(nucleus);
    for (Candidate& c : all) c.probability /= reached;
    return all;
}

Token pick(const std::vector<Candidate>& candidates, double uniform) {
    for (const Candidate& c : candidates) {
        if (uniform < c.probability) return c.token;
        uniform -= c.probability;
    }
    return candidates.back().token;  // by rounding the sum may be a little less than 1
}

}  // namespace zhuyi
