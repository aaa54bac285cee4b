// Asks a model all questions: many side by side, on a tape that records nothing. Shorter texts are
// filled up on the right. The causal mask hides the filling from every position before it, so a
// question gets the same bits alone and beside others.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/watching.h"
#include "base/grid.h"
#include "probe/question.h"

namespace zhuyi {

class Gpt;
class Tape;
struct GptConfig;

struct Answers {
    // Of each question the smallest ln p(right) - ln p(wrong), in nats; above 0 the answer is
    // right.
    Numbers margins;  // (Q)
    // The attention weight of each head from the asker to the answerer, summed over its tokens.
    Numbers weights;  // (Q, L, H); 0 if a question names no answerer

    bool right(Index question) const { return margins[question] > 0; }
};

// The means over all tokens of all texts of "mix" (of all heads) and "ffn.output" of each block,
// (C) each, by their full names. They can replace the output of heads and FFNs.
using Means = std::map<std::string, Numbers, std::less<>>;

// At most this many tokens are read in one pass, unless one text alone is longer; more tokens would
// not be faster.
constexpr Index kAskedAtOnce = 1024;

// A watcher of `tape` sees these passes, too, and may replace numbers (Silence). The tape
// must not record.
Answers ask(Gpt& model, Tape& tape, const Questions& questions, Means* means = nullptr);

// ---- what a model can no longer do without a part of it

// What a head adds to its block (its columns of "mix"), or what an FFN gives, is replaced by fixed
// numbers; the weights stay as they are.
struct ModelPart {
    Index block;
    std::optional<Index> head;  // nothing means the FFN of the block
    bool operator==(const ModelPart&) const = default;
    std::string name() const;  // "2.3", "1.ffn"
};

// The part of this name, or nothing if it is no name. A model may lack the part.
std::optional<ModelPart> part_named(std::string_view name);

// "2.3,1.ffn". Throws UsageError if this model has no such part; `option` names it in the message.
std::vector<ModelPart> parse_parts(std::string_view text, const GptConfig& config,
                                   const char* option);

class Silence : public Watcher {
  public:
    // The columns of a tensor (B, T, C) that a part of the model is, and what replaces them at
    // every position.
    struct Columns {
        std::string tensor;  // "block.2.attention.mix"
        Index first;
        List<Real> numbers;  // zeros at first
    };
    static Columns columns_of(const ModelPart& part, const GptConfig& config);

    // Replaces by zeros.
    Silence(const std::vector<ModelPart>& parts, const GptConfig& config);
    explicit Silence(Columns columns) : silenced_{std::move(columns)} {}

    bool wants(std::string_view name) const override;
    void replace(std::string_view name, const Tensor& x) override;

  private:
    std::vector<Columns> silenced_;
};

// This is what a rule loses without one part, over its seen and new probes together.
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

// Silences every head and every FFN in turn: asks all seen and new questions, none in new forms,
// L (H + 1) + 1 times. by_mean: a part is replaced by its mean over all characters of all these
// probes, with which the numbers behind it keep their usual size; otherwise by zeros. The tape must
// not record.
Ablation ablate(Gpt& model, Tape& tape, const Questions& questions, bool by_mean);

}  // namespace zhuyi
