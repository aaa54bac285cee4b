// Parts of a model are silenced, to see what it can no longer do without them: what a head adds to
// its block (its columns of "mix"), or what an FFN does, is replaced by fixed numbers. The weights
// stay as they are.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/watching.h"
#include "base/real.h"

namespace zhuyi {

struct GptConfig;

struct ModelPart {
    Index block;
    std::optional<Index> head;  // nothing: the FFN of the block
};

// "2.3,1.ffn". UsageError: this model has no such part. `option` names it in the message.
std::vector<ModelPart> parse_parts(std::string_view text, const GptConfig& config,
                                   const char* option);

// The tensor (B, T, C) whose columns a part is, and which.
struct Columns {
    std::string tensor;  // "block.2.attention.mix"
    Index first, count;
};
Columns columns_of(const ModelPart& part, const GptConfig& config);

class Silence : public Watcher {
  public:
    // By zeros.
    Silence(const std::vector<ModelPart>& parts, const GptConfig& config);
    // `part` by the same numbers at every position.
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

}  // namespace zhuyi
