// The rows of the token embedding in one training step: which moved, and what moved them.
#pragma once
#include "autograd/watching.h"
#include "explain/step.h"

namespace zhuyi {

// The batch of a step: one of (B, T) for each pass.
struct Windows {
    std::vector<std::vector<Token>> ids, targets;
    Index length;  // T
};

// What training draws from `text` for update number step + 1.
Windows draw_windows(const WorkedTraining& training, std::span<const Token> text, Index step);

// Collects what every position of the batch hands back to the row of the embedding that it read.
class InputGradients : public Watcher {
  public:
    InputGradients(const Windows& windows, const GptConfig& config);

    bool wants(std::string_view name) const override { return name == "embedding"; }
    void value(std::string_view, const Tensor&) override { ++pass_; }
    void gradient(std::string_view, const Tensor& x, In dx) override;

    std::span<const double> sum(Token token) const { return sums_.row(token); }
    // The position that handed in most: "…吃了一个[苹]果…"; empty when none read the token.
    std::string strongest(Token token, const Tokenizer& tokenizer) const;

  private:
    struct Best {
        double square = -1;
        std::size_t pass = 0, position = 0;
    };
    const Windows& windows_;
    Index pass_ = -1;  // the one that is running
    Grid sums_;        // (V, C)
    std::vector<Best> best_;
};

// before: the values of the whole table E; first: it is the first step of the training.
std::vector<WorkedStep::Row> moved_rows(const WorkedModel& model, const Windows& windows,
                                        const InputGradients& inputs, const Grid& before,
                                        bool first);
void write_rows(Sheet& sheet, const std::vector<WorkedStep::Row>& rows, bool first);

}  // namespace zhuyi
