#include "attention/maps.h"

#include <algorithm>

#include "attention/roles.h"
#include "autograd/tape.h"
#include "base/check.h"
#include "model/block.h"
#include "model/config.h"
#include "model/gpt.h"
#include "text/tokenizer.h"

namespace zhuyi {
static void append(List<Real>& weights, In more) {
    weights.insert(weights.end(), more.begin(), more.end());
}

static Index index_of(Index number, const List<Index>& numbers, const char* option,
                      const Words& things) {
    const auto found = std::ranges::find(numbers, number);
    if (found != numbers.end()) return found - numbers.begin();
    const std::string allowed =
        numbers.size() == 1 ? say({"only %td", "只有 %td"}, numbers.front())
                            : say({"%td to %td", "%td 到 %td"}, numbers.front(), numbers.back());
    fail_usage(
        {"--%s %td: this model's %s count from 0: %s", "--%s %td：这个模型的%s从 0 数起：%s"},
        option, number, things, allowed);
}

static AttentionMaps mean_of_heads(const AttentionMaps& maps) {
    AttentionMaps mean{maps.blocks, {kMeanHead}, maps.tokens, {}};
    for (Index l = 0; l < maps.blocks.count(); ++l)
        for (Index i = 0; i < maps.length() * maps.length(); ++i) {
            double sum = 0;
            for (Index h = 0; h < maps.heads.count(); ++h) sum += double(maps.map(l, h)[i]);
            mean.weights.push_back(Real(sum / double(maps.heads.size())));
        }
    return mean;
}

std::string head_name(Index head) { return head == kMeanHead ? "mean" : std::to_string(head); }
std::string head_words(Index head) {
    return head == kMeanHead ? say({"mean of the heads", "各头平均"})
                             : say({"head %td", "头 %td"}, head);
}
std::string block_words(Index block) { return say({"block %td", "第 %td 层"}, block); }

View<const Real> AttentionMaps::map(Index block, Index head) const {
    const Index size = length() * length();
    return View<const Real>(weights).part((block * heads.count() + head) * size, size);
}

AttentionMaps attention_maps(Gpt& model, const Tokenizer& tokenizer, std::span<const Token> ids) {
    const GptConfig& config = model.config();
    AttentionMaps maps;
    for (Index l = 0; l < config.layers; ++l) maps.blocks.push_back(l);
    for (Index h = 0; h < config.heads; ++h) maps.heads.push_back(h);
    for (Token id : ids) maps.tokens.push_back(tokenizer.name(id));
    Tape tape(false);
    std::vector<double> rows;  // row t has t + 1 weights; what the mask hides is 0
    logits_with_attention(model, tape, ids, rows);
    auto next = rows.begin();
    for (Index row = 0; row < config.layers * config.heads * maps.length(); ++row)
        for (Index s = 0; s < maps.length(); ++s)
            maps.weights.push_back(s <= row % maps.length() ? Real(*next++) : Real(0));
    return maps;
}

AttentionMaps one_block(const AttentionMaps& maps, Index block) {
    const Index l = index_of(block, maps.blocks, "layer", {"blocks", "层"});
    AttentionMaps part{{block}, maps.heads, maps.tokens, {}};
    for (Index h = 0; h < maps.heads.count(); ++h) append(part.weights, maps.map(l, h));
    return part;
}

AttentionMaps head_of(const AttentionMaps& maps, Index head) {
    if (head == kMeanHead) return mean_of_heads(maps);
    const Index h = index_of(head, maps.heads, "head", {"heads", "头"});
    AttentionMaps part{maps.blocks, {head}, maps.tokens, {}};
    for (Index l = 0; l < maps.blocks.count(); ++l) append(part.weights, maps.map(l, h));
    return part;
}

}  // namespace zhuyi
