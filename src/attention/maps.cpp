#include "attention/maps.h"

#include <algorithm>

#include "base/check.h"
#include "base/format.h"
#include "text/utf8.h"

namespace zhuyi {
namespace {

// Blocks are met in order, so their weights arrive in the order of the array they are put into.
class Collector : public Watcher {
  public:
    explicit Collector(std::vector<Real>& weights) : weights_(weights) {}
    bool wants(std::string_view name) const override { return name.ends_with("attention.weights"); }
    void value(std::string_view, const Tensor& tensor) override {
        const In values = tensor.values();  // (1, H, T, T)
        weights_.insert(weights_.end(), values.begin(), values.end());
    }

  private:
    std::vector<Real>& weights_;
};

std::vector<Index> first_numbers(Index count) {
    std::vector<Index> numbers;
    for (Index i = 0; i < count; ++i) numbers.push_back(i);
    return numbers;
}

std::size_t place_of(Index number, const std::vector<Index>& numbers, const char* option,
                     const char* things) {
    const auto found = std::find(numbers.begin(), numbers.end(), number);
    if (found != numbers.end()) return std::size_t(found - numbers.begin());
    const std::string allowed = numbers.size() == 1
                                    ? format("only %td", numbers.front())
                                    : format("%td to %td", numbers.front(), numbers.back());
    fail_usage_english(format("--%s %td: this model's %s count from 0: %s", option, number, things,
                              allowed.c_str()));
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

In AttentionMaps::map(std::size_t layer, std::size_t head) const {
    const std::size_t size = tokens.size() * tokens.size();
    return In(weights).subspan((layer * heads.size() + head) * size, size);
}

AttentionMaps attention_maps(Gpt& model, const Tokenizer& tokenizer, std::string_view text) {
    const GptConfig& config = model.config();
    if (text.empty()) fail_english("the text is empty: attention needs at least one character");
    if (const auto fault = utf8::first_error(text))
        fail_english(format("the text is not UTF-8: byte %td %s", fault->offset,
                            utf8::description(fault->finding)));
    const std::vector<Token> ids = tokenizer.encode(text);
    if (Index(ids.size()) > config.context)
        fail_english(
            format("the text has %zu tokens, but this model's context is %td: give a shorter text",
                   ids.size(), config.context));

    AttentionMaps maps{first_numbers(config.layers), first_numbers(config.heads), {}, {}};
    for (Token id : ids) maps.tokens.push_back(tokenizer.name(id));
    Collector collector(maps.weights);
    Tape tape(false);
    tape.watch(&collector);
    model.logits(tape, ids, 1, Pass{});
    return maps;
}

AttentionMaps layer_of(const AttentionMaps& maps, Index layer) {
    const std::size_t l = place_of(layer, maps.layers, "layer", "blocks");
    AttentionMaps part{{layer}, maps.heads, maps.tokens, {}};
    for (std::size_t h = 0; h < maps.heads.size(); ++h)
        part.weights.insert(part.weights.end(), maps.map(l, h).begin(), maps.map(l, h).end());
    return part;
}

AttentionMaps head_of(const AttentionMaps& maps, Index head) {
    if (head == kMeanHead) return mean_of_heads(maps);
    const std::size_t h = place_of(head, maps.heads, "head", "heads");
    AttentionMaps part{maps.layers, {head}, maps.tokens, {}};
    for (std::size_t l = 0; l < maps.layers.size(); ++l)
        part.weights.insert(part.weights.end(), maps.map(l, h).begin(), maps.map(l, h).end());
    return part;
}

}  // namespace zhuyi
