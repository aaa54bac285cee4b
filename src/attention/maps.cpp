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

std::size_t place_of(Index number, const std::vector<Index>& numbers, const char* option,
                     const Words& things) {
    const auto found = std::find(numbers.begin(), numbers.end(), number);
    if (found != numbers.end()) return std::size_t(found - numbers.begin());
    const Text allowed = numbers.size() == 1
                             ? say({"only %td", "只有 %td"}, numbers.front())
                             : say({"%td to %td", "%td 到 %td"}, numbers.front(), numbers.back());
    fail_usage(
        {"--%s %td: this model's %s count from 0: %s", "--%s %td：这个模型的%s从 0 数起：%s"},
        option, number, things, allowed);
}

AttentionMaps mean_of_heads(const AttentionMaps& maps) {
    AttentionMaps mean{maps.layers, {kMeanHead}, maps.tokens, {}};
    for (std::size_t l = 0; l < maps.layers.size(); ++l) {
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
Text head_words(Index head) {
    return head == kMeanHead ? Text("mean of the heads", "各头平均")
                             : say({"head %td", "头 %td"}, head);
}
Text layer_words(Index layer) { return say({"block %td", "第 %td 层"}, layer); }

In AttentionMaps::map(std::size_t layer, std::size_t head) const {
    const std::size_t size = tokens.size() * tokens.size();
    return In(weights).subspan((layer * heads.size() + head) * size, size);
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

AttentionMaps layer_of(const AttentionMaps& maps, Index layer) {
    const std::size_t l = place_of(layer, maps.layers, "layer", {"blocks", "层"});
    AttentionMaps part{{layer}, maps.heads, maps.tokens, {}};
    for (std::size_t h = 0; h < maps.heads.size(); ++h) append(part.weights, maps.map(l, h));
    return part;
}

AttentionMaps head_of(const AttentionMaps& maps, Index head) {
    if (head == kMeanHead) return mean_of_heads(maps);
    const std::size_t h = place_of(head, maps.heads, "head", {"heads", "头"});
    AttentionMaps part{maps.layers, {head}, maps.tokens, {}};
    for (std::size_t l = 0; l < maps.layers.size(); ++l) append(part.weights, maps.map(l, h));
    return part;
}

}  // namespace zhuyi
