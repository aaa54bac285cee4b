#include "probe/ablate.h"

#include "autograd/tape.h"
#include "model/gpt.h"
#include "probe/ask.h"
#include "probe/silence.h"

namespace zhuyi {
namespace {

// Points right and mean margin of each rule, all its probes together.
std::vector<Lost> level(const Questions& questions, const Answers& answers) {
    std::vector<Lost> sums(questions.rules.size());
    std::vector<double> asked(sums.size());
    for (std::size_t q = 0; q < questions.all.size(); ++q) {
        const std::size_t rule = questions.all[q].rule;
        sums[rule].points += answers.right(q) ? 100 : 0;
        sums[rule].margin += answers.margins[q];
        ++asked[rule];
    }
    for (std::size_t rule = 0; rule < sums.size(); ++rule)
        if (asked[rule] > 0) sums[rule].points /= asked[rule], sums[rule].margin /= asked[rule];
    return sums;
}

std::vector<Real> mean_of(const Columns& columns, const Means& means) {
    std::vector<Real> numbers;
    for (Index c = 0; c < columns.count; ++c)
        numbers.push_back(Real(means.at(columns.tensor)[std::size_t(columns.first + c)]));
    return numbers;
}

}  // namespace

Ablation ablate(Gpt& model, const Questions& questions, Replaced replaced) {
    const GptConfig& config = model.config();
    const Index L = config.layers, H = config.heads;
    Tape tape(false);
    Means means;
    const std::vector<Lost> whole = level(questions, ask(model, tape, questions, &means));
    Ablation all{L, H, std::vector<Lost>(questions.rules.size() * std::size_t(L * (H + 1)))};
    for (Index part = 0; part < L * (H + 1); ++part) {
        const Index head = part % (H + 1);
        const ModelPart silenced{part / (H + 1), head < H ? std::optional(head) : std::nullopt};
        const Columns columns = columns_of(silenced, config);
        Silence silence(silenced, config,
                        replaced == Replaced::by_mean
                            ? mean_of(columns, means)
                            : std::vector<Real>(std::size_t(columns.count)));
        const Watching watching(tape, silence);
        const std::vector<Lost> left = level(questions, ask(model, tape, questions));
        for (std::size_t rule = 0; rule < left.size(); ++rule)
            all.losses[rule * std::size_t(L * (H + 1)) + std::size_t(part)] = {
                whole[rule].points - left[rule].points, whole[rule].margin - left[rule].margin};
    }
    return all;
}

}  // namespace zhuyi
