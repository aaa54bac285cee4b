// Where the numbers of a step stopped being numbers. Loss and gradient are looked at before the
// optimizer writes, so the weights are still those of the step before: the step can be made again,
// the same to the last bit, while a watcher looks at every tensor.
#pragma once
#include <optional>
#include <string>

#include "base/check.h"
#include "train/checkpoint.h"
#include "train/update.h"

namespace zhuyi {

// The first tensor, in the order of computing, that holds an infinite number or none at all.
struct Culprit {
    enum class Kind { weights, activation, gradient, weight_gradient };
    Kind kind;
    std::string tensor;  // "block.1.ffn.gelu"
    std::string op;      // that made it; of a gradient: whose backward made it; "" for weights
    Shape shape;
    Index element;  // of the tensor, counted row by row
    double value;
    std::string before;  // the tensor before it, all of whose numbers were finite; "" for the first
    double largest = 0;  // of those, in absolute value
    std::optional<Token> token;    // that the row of the element belongs to
    Index text = 0, position = 0;  // of that token, in the batch
};

struct PostMortem {
    StepReport step;                 // as far as it came
    std::optional<Culprit> culprit;  // none: made again, all numbers were finite
    Index kept = -1;                 // step of the last checkpoint; -1: none
};

// what() says it in one line.
class NotFinite : public Error {
  public:
    explicit NotFinite(PostMortem found);
    const PostMortem& found() const { return found_; }

  private:
    PostMortem found_;
};

// Makes the gradients of update number step + 1 again. Those who watch the tape replace what they
// replaced the first time, and are shown nothing.
PostMortem post_mortem(Gpt& model, Parameters& parameters, Tape& tape, const TrainConfig& config,
                       Index step, const DrawBatch& draw);

// For weights and an optimizer that are to be saved: the checkpoint that is there is better than
// one with such numbers. `kept` is its step. Throws NotFinite.
void check_finite(Trained trained, Index step, Index kept);

}  // namespace zhuyi
