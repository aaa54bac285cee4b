#include "probe/silence.h"

#include <algorithm>

#include "autograd/tape.h"
#include "base/check.h"
#include "base/format.h"
#include "base/tensor.h"
#include "model/config.h"
#include "model/gpt.h"
#include "probe/ask.h"
#include "system/printable.h"

namespace zhuyi {

namespace {

// Reads a whole number from 0 to `most` - 1 that is written in digits alone (not "0.0").
std::optional<Index> number_below(Index most, std::string_view digits) {
    if (digits.find_first_not_of("0123456789") != digits.npos) return {};
    const std::optional<Index> number = parse_integer(digits);
    return number && *number >= 0 && *number < most ? number : std::nullopt;
}

}  // namespace

std::vector<ModelPart> parse_parts(std::string_view text, const GptConfig& config,
                                   const char* option) {
    std::vector<ModelPart> parts;
    while (!text.empty()) {
        const std::string_view word = text.substr(0, text.find(','));
        text.remove_prefix(std::min(word.size() + 1, text.size()));
        const std::size_t point = std::min(word.find('.'), word.size());
        const std::string_view what = word.substr(std::min(point + 1, word.size()));
        const auto block = number_below(config.layers, word.substr(0, point));
        const auto head = number_below(config.heads, what);
        if (!block || (!head && what != "ffn"))
            fail_usage({"%s: expected heads and FFNs of this model, 0.0 to %td.%td and 0.ffn to "
                        "%td.ffn, with commas between them; found %s",
                        "%s：应该是这个模型的头或 FFN：0.0 到 %td.%td，0.ffn 到 %td.ffn，用半角逗号"
                        "隔开；却是 %s"},
                       option, config.layers - 1, config.heads - 1, config.layers - 1,
                       in_quotes(word));
        parts.push_back({*block, head});
    }
    return parts;
}

Silence::Columns Silence::columns_of(const ModelPart& part, const GptConfig& config) {
    const std::string block = "block." + std::to_string(part.block) + ".";
    if (!part.head) return {block + "ffn.output", 0, config.channels};
    return {block + "attention.mix", *part.head * config.head_size(), config.head_size()};
}

Silence::Silence(const std::vector<ModelPart>& parts, const GptConfig& config) {
    for (const ModelPart& part : parts) {
        const Columns columns = columns_of(part, config);
        replacements_.push_back({columns, std::vector<Real>(std::size_t(columns.count))});
    }
}

Silence::Silence(const ModelPart& part, const GptConfig& config, std::vector<Real> numbers)
    : replacements_{{columns_of(part, config), std::move(numbers)}} {}

bool Silence::wants(std::string_view name) const {
    const auto tensor = [](const Replacement& r) -> const std::string& { return r.columns.tensor; };
    return std::ranges::find(replacements_, name, tensor) != replacements_.end();
}

void Silence::replace(std::string_view name, const Tensor& x) {
    for (const Replacement& r : replacements_)
        if (r.columns.tensor == name)
            for (Index row = 0; row < x.rows(); ++row)
                std::ranges::copy(r.numbers, x.value + row * x.columns() + r.columns.first);
}

namespace {

// Of each rule: per cent right and mean margin, over all its probes.
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

std::vector<Real> mean_of(const Silence::Columns& columns, const Means& means) {
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
        const Silence::Columns columns = Silence::columns_of(silenced, config);
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
