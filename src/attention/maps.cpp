#include "attention/maps.h"

#include <algorithm>
#include <numeric>

#include "autograd/tape.h"
#include "base/check.h"
#include "model/block.h"
#include "model/config.h"
#include "model/gpt.h"
#include "text/tokenizer.h"

namespace zhuyi {
namespace {

void append(std::vector<Real>& weights, In more) {
    weights.insert(weights.end(), more.begin(), more.end());
}

// Blocks are met in order, so their weights arrive in the order of the array they are put into.
class Collector : public Watcher {
  public:
    explicit Collector(std::vector<Real>& weights) : weights_(weights) {}
    bool wants(std::string_view name) const override { return name.ends_with("attention.weights"); }
    void value(std::string_view, const Tensor& tensor) override {
        append(weights_, tensor.values());  // (1, H, T, T)
    }

  private:
    std::vector<Real>& weights_;
};

std::vector<Index> first_numbers(Index count) {
    std::vector<Index> numbers(std::size_t(count), 0);
    std::iota(numbers.begin(), numbers.end(), Index(0));
    return numbers;
}

std::size_t index_of(Index number, const std::vector<Index>& numbers, const char* option,
                     const Words& things) {
    const auto found = std::find(numbers.begin(), numbers.end(), number);
    if (found != numbers.end()) return std::size_t(found - numbers.begin());
    const std::string allowed =
        numbers.size() == 1 ? say({"only %td", "只有 %td"}, numbers.front())
                            : say({"%td to %td", "%td 到 %td"}, numbers.front(), numbers.back());
    fail_usage(
        {"--%s %td: this model's %s count from 0: %s", "--%s %td：这个模型的%s从 0 数起：%s"},
        option, number, things, allowed);
}

AttentionMaps mean_of_heads(const AttentionMaps& maps) {
    AttentionMaps mean{maps.blocks, {kMeanHead}, maps.tokens, {}};
    for (std::size_t l = 0; l < maps.blocks.size(); ++l) {
        for (std::size_t i = 0; i < maps.map(l, 0).size(); ++i) {
            double sum = 0;
            for (std::size_t h = 0; h < maps.heads.size(); ++h) sum += double(maps.map(l, h)[i]);
            mean.weights.push_back(Real(sum / double(maps.heads.size())));
        }
    }
    return mean;
}

}  // namespace

std::string head_name(Index head) { return head == kMeanHead ? "mean" : std::to_string(head); }
std::string head_words(Index head) {
    return head == kMeanHead ? say({"mean of the heads", "各头平均"})
                             : say({"head %td", "头 %td"}, head);
}
std::string block_words(Index block) { return say({"block %td", "第 %td 层"}, block); }

In AttentionMaps::map(std::size_t block, std::size_t head) const {
    const std::size_t size = tokens.size() * tokens.size();
    return In(weights).subspan((block * heads.size() + head) * size, size);
}

AttentionMaps attention_maps(Gpt& model, const Tokenizer& tokenizer, std::span<const Token> ids) {
    const GptConfig& config = model.config();
    AttentionMaps maps{first_numbers(config.layers), first_numbers(config.heads), {}, {}};
    for (Token id : ids) maps.tokens.push_back(tokenizer.name(id));
    Collector collector(maps.weights);
    Tape tape(false);
    const Watching watching(tape, collector);
    model.logits(tape, ids, 1, Pass{});
    return maps;
}

AttentionMaps one_block(const AttentionMaps& maps, Index block) {
    const std::size_t l = index_of(block, maps.blocks, "layer", {"blocks", "层"});
    AttentionMaps part{{block}, maps.heads, maps.tokens, {}};
    for (std::size_t h = 0; h < maps.heads.size(); ++h) append(part.weights, maps.map(l, h));
    return part;
}

AttentionMaps head_of(const AttentionMaps& maps, Index head) {
    if (head == kMeanHead) return mean_of_heads(maps);
    const std::size_t h = index_of(head, maps.heads, "head", {"heads", "头"});
    AttentionMaps part{maps.blocks, {head}, maps.tokens, {}};
    for (std::size_t l = 0; l < maps.blocks.size(); ++l) append(part.weights, maps.map(l, h));
    return part;
}

}  // namespace zhuyi
