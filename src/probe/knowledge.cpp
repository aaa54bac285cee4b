#include "probe/knowledge.h"

#include <algorithm>

#include "model/config.h"

namespace zhuyi {
namespace {

// Sums over the questions of one rule and kind.
struct Sums {
    Index asked = 0, right = 0;
    double margin = 0;
    Index with_answerer = 0;
    std::vector<double> weights;  // (L, H)

    void add(const Question& question, const Answers& answers, std::size_t q) {
        ++asked, right += answers.right(q), margin += answers.margins[q];
        if (question.asker < 0) return;
        ++with_answerer;
        for (std::size_t i = 0; i < weights.size(); ++i)
            weights[i] += answers.weights[q * weights.size() + i];
    }
    std::optional<Answered> mean() const {
        if (!asked) return {};
        return Answered{double(right) / double(asked), margin / double(asked)};
    }
};

}  // namespace

std::string Head::name() const { return std::to_string(block) + "." + std::to_string(head); }

bool Knowledge::known() const {
    const auto well = [](const std::optional<Answered>& a) { return !a || a->right >= kKnown; };
    return (seen || unseen) && well(seen) && well(unseen);
}

std::vector<Knowledge> knowledge(const Questions& questions, const Answers& answers,
                                 const GptConfig& config) {
    const Sums none{.weights = std::vector<double>(std::size_t(config.layers * config.heads))};
    std::vector<Sums> seen(questions.rules.size(), none), unseen = seen;
    for (std::size_t q = 0; q < questions.all.size(); ++q) {
        const Question& question = questions.all[q];
        (question.kind == ProbeKind::seen ? seen : unseen)[question.rule].add(question, answers, q);
    }
    std::vector<Knowledge> all;
    for (std::size_t rule = 0; rule < questions.rules.size(); ++rule) {
        Knowledge k{seen[rule].mean(), unseen[rule].mean(), {}, 0};
        const Sums& sums = unseen[rule];
        if (sums.with_answerer) {
            const auto best = std::ranges::max_element(sums.weights);
            const Index place = best - sums.weights.begin();
            k.head = Head{place / config.heads, place % config.heads};
            k.weight = *best / double(sums.with_answerer);
        }
        all.push_back(k);
    }
    return all;
}

}  // namespace zhuyi
