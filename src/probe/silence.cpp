#include "probe/silence.h"

#include <algorithm>

#include "base/check.h"
#include "base/number.h"
#include "base/tensor.h"
#include "model/config.h"
#include "system/printable.h"

namespace zhuyi {
namespace {

// A whole number from 0 to `most` - 1, digits alone: "0.0" would be one too.
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

Columns columns_of(const ModelPart& part, const GptConfig& config) {
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

}  // namespace zhuyi
