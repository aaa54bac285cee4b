// Finds where in a step the first number stopped being finite. Loss and gradient are checked before
// the optimizer changes the weights. So the step can be computed again, the same to the last bit,
// while a watcher checks every tensor.
#pragma once
#include <optional>
#include <string>

#include "base/check.h"
#include "base/tensor.h"
#include "train/update.h"

namespace zhuyi {

struct Trained;

// The first tensor, in the order of computing, that holds an infinity or a NaN.
struct Culprit {
    enum class Kind { weights, activation, gradient, weight_gradient };
    Kind kind;
    std::string tensor;  // "block.1.ffn.gelu"
    std::string op;      // the op that computed it, or whose backward did; "" for weights
    Shape shape;
    Index element;  // of the tensor, counted row by row
    double value;
    std::string before;            // the tensor before it, whose numbers are all finite, or ""
    double largest = 0;            // number of `before`, in absolute value
    std::optional<Token> token;    // the token that the element's row belongs to
    Index text = 0, position = 0;  // where that token stands in the batch
};

struct PostMortem {
    StepReport step;                 // as far as it came
    std::optional<Culprit> culprit;  // nothing if all numbers were finite the second time
    Index kept = -1;                 // step of the last checkpoint, or -1
};

// what() is a summary in one line.
class NotFinite : public Error {
  public:
    explicit NotFinite(PostMortem found);
    const PostMortem& found() const { return found_; }

  private:
    PostMortem found_;
};

// Computes the gradients of update number step + 1 once more. Watchers of the tape replace what
// they replaced the first time, but are shown nothing.
PostMortem post_mortem(Gpt& model, Parameters& parameters, Tape& tape, const TrainConfig& config,
                       Index step, const DrawBatch& draw);

// To be called before a save. Throws NotFinite if a weight, or a number that the optimizer
// remembers, is not finite: then the checkpoint of step `kept`, which exists, is better than a new
// one.
void check_finite(Trained trained, Index step, Index kept);

}  // namespace zhuyi
