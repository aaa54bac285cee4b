// Reverse-mode differentiation. Ops run forward in the order of the code, and each records how to
// run backward; Tape::backward walks the records from the last to the first. The records are in the
// right order already, so there is no graph to sort: no recursion, no set of visited nodes.
//
// The one rule: backward adds. The backward of an op adds to the gradients of its inputs and never
// overwrites what another added: a tensor that is used twice collects both parts. (The first part
// may be stored instead of added to zero: Destination in base/real.h.) An op may overwrite the
// gradient of its own output, as gelu_of_linear does: no other op reads it afterwards.
//
// Activations, kept values and the closures of backward lie in an arena, which is reset before each
// pass and never freed. Names and watchers: autograd/watching.h.
#pragma once
#include <initializer_list>
#include <vector>

#include "autograd/watching.h"
#include "base/arena.h"
#include "base/random.h"
#include "base/tensor.h"

namespace zhuyi {

// Memory for the gradients of a tape's activations. A gradient borrows memory when the first part
// is added to it, and gives it back as soon as the op that made the tensor has run its backward. So
// only a few gradients exist at a time, however many blocks there are. Memory that comes back waits
// on a shelf for the next gradient of the same size: from the second step on, training allocates
// nothing. (The gradients of parameters have memory of their own, model/parameters.h.)
class GradientMemory {
  public:
    // Where an op adds its part of d loss / d x. Its data is null if nobody wants the gradient of
    // x.
    Destination into(const Tensor& x);
    // The same, but the memory already holds numbers (`add` is true): for ops that reach only some
    // rows.
    Destination into_zeroed(const Tensor& x);
    // d loss / d y of an output y: all parts have been added when the backward of the op that made
    // y runs. Zeros if there was no part: the loss may depend on another output of the op only.
    const Real* of(const Tensor& y);
    // dx += dy, for an op that passes its output's gradient on unchanged. If nothing was added to
    // dx yet, dx and dy share one memory, and the first of them that is added to afterwards gets a
    // copy.
    void pass_on(const Tensor& y, const Tensor& x);
    // The gradient of y is not needed any more.
    void give_back(const Tensor& y);

    std::size_t bytes() const { return pool_.capacity(); }
    std::size_t used_bytes() const { return pool_.used(); }

  private:
    // Memory of one size that nobody uses at the moment.
    struct Shelf {
        Index size;
        std::vector<Real*> free;
    };
    std::vector<Real*>& shelf(Index size);
    Real* borrow(Index size);
    bool leave_to_others(Gradient& gradient);

    Arena pool_;  // never reset: gradients of the same sizes come back every step
    std::vector<Shelf> shelves_;
    std::vector<const Real*> shared_;  // a memory that n gradients share stands here n - 1 times
};

class Tape {
  public:
    // recording: false for inference, without gradients and closures.
    explicit Tape(bool recording, Precision precision = Precision::fp32)
        : recording_(recording), precision_(precision) {}
    Tape(const Tape&) = delete;
    bool recording() const { return recording_; }
    Precision precision() const { return precision_; }
    Workspace& workspace() { return workspace_; }

    // ---- for ops, forward
    Tensor tensor(Shape shape);         // a new activation, its numbers not yet set
    Arena& memory() { return arena_; }  // for what backward needs: it lives until reset()
    // `backward(Tape&)` adds to the gradients of the op's inputs. It runs if something was added to
    // the gradient of at least one output, and may read the gradients of all outputs. It is copied
    // into the arena: it captures by value, and only what needs no destructor (views).
    template <class Backward>
    void record(const char* op, std::initializer_list<Tensor> outputs, const Backward& backward) {
        ran(Phase::forward, op);
        if (!recording_) return;
        records_.push_back({op, arena_.copy(std::span<const Tensor>(outputs)),
                            arena_.create(backward), [](const void* closure, Tape& tape) {
                                (*static_cast<const Backward*>(closure))(tape);
                            }});
    }
    NumberedDraws& dropouts() { return dropouts_; }  // set at the beginning of a training step

    // ---- for ops, backward (GradientMemory says what each one does)
    Destination into(const Tensor& input) { return gradients_.into(input); }
    Destination into_zeroed(const Tensor& input) { return gradients_.into_zeroed(input); }
    const Real* gradient(const Tensor& output) { return gradients_.of(output); }
    void pass_on(const Tensor& y, const Tensor& x) { gradients_.pass_on(y, x); }

    // ---- for the model and the trainer
    void backward(const Tensor& loss, Real seed = 1);  // begins with d loss / d loss = seed
    void reset();  // forgets activations and records, keeps the memory
    std::size_t bytes() const { return arena_.capacity() + gradients_.bytes(); }
    std::size_t used_bytes() const { return arena_.used() + gradients_.used_bytes(); }

    // ---- names, watchers, times
    Tensor name(const char* name, const Tensor& x);  // shows x, and returns it
    bool watched(const char* name) const;            // does anybody want it, in these scopes?
    Watchers& watchers() { return watchers_; }
    const char* op() const { return op_; }  // the one that ran last, forward or backward
    void time(Stopwatch* stopwatch) { stopwatch_ = stopwatch; }  // may be null
    // Tells the stopwatch, if there is one: the time since the last lap was spent on `part`.
    void lap(Phase phase, const char* part);

  private:
    struct Record {
        const char* op;
        std::span<const Tensor> outputs;
        const void* closure;
        void (*backward)(const void* closure, Tape& tape);
    };
    void ran(Phase phase, const char* op);

    const bool recording_;
    const Precision precision_;
    Arena arena_;
    std::vector<Record> records_;
    GradientMemory gradients_;
    Workspace workspace_;
    Watchers watchers_;
    NumberedDraws dropouts_{0, Stream::dropout, 0};
    Stopwatch* stopwatch_ = nullptr;
    const char* op_ = "";
};

}  // namespace zhuyi
