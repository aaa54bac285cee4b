// What a model can no longer do without a part of it. What a head adds to its block (its columns of
// "mix"), or what an FFN gives, is replaced by fixed numbers; the weights stay as they are.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/watching.h"
#include "base/list.h"

namespace zhuyi {

class Gpt;
struct GptConfig;
struct Questions;

struct ModelPart {
    Index block;
    std::optional<Index> head;  // nothing: the FFN of the block
};

// "2.3,1.ffn". Throws UsageError if this model has no such part; `option` names it in the message.
std::vector<ModelPart> parse_parts(std::string_view text, const GptConfig& config,
                                   const char* option);

class Silence : public Watcher {
  public:
    // The columns of a tensor (B, T, C) that a part of the model is.
    struct Columns {
        std::string tensor;  // "block.2.attention.mix"
        Index first, count;
    };
    static Columns columns_of(const ModelPart& part, const GptConfig& config);

    // Replaces by zeros.
    Silence(const std::vector<ModelPart>& parts, const GptConfig& config);
    // Replaces `part` by the same numbers at every position.
    Silence(const ModelPart& part, const GptConfig& config, std::vector<Real> numbers);

    bool wants(std::string_view name) const override;
    void replace(std::string_view name, const Tensor& x) override;

  private:
    struct Replacement {
        Columns columns;
        std::vector<Real> numbers;
    };
    std::vector<Replacement> replacements_;
};

// ---- which part carries which rule

// What replaces a part: its mean over all characters of all probes, with which the numbers behind
// it keep their usual size; or zeros.
enum class Replaced { by_mean, by_zero };

// What a rule loses without one part, over its seen and new probes together.
struct Lost {
    double points;  // percentage points of right answers
    double margin;  // nats
};

struct Ablation {
    Index layers, heads;
    List<Lost> losses;  // (rules, L, H + 1): the heads of a block, then its FFN

    // head == heads: the FFN
    const Lost& of(std::size_t rule, Index block, Index head) const {
        return losses[(Index(rule) * layers + block) * (heads + 1) + head];
    }
};

// Silences every head and every FFN in turn: asks all questions L (H + 1) + 1 times.
Ablation ablate(Gpt& model, const Questions& questions, Replaced replaced);

}  // namespace zhuyi
