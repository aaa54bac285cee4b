// Watching a pass: the model names its tensors as it computes them ("block.0.attention.mix"), and
// any number of watchers see each named tensor and, during backward, its gradient. Maps of
// attention, the worked sheets and the history of a training are all watchers; the model knows none
// of them.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/tensor.h"

namespace zhuyi {

class GradientMemory;

// Two things happen to each named tensor, in this order:
//
//   1  every watcher may replace its numbers (an intervention: to silence a head, set its columns
//      of "mix" to zero);
//   2  every watcher is shown the numbers as they are then.
//
// So every watcher sees the final numbers, and the order of the watchers matters only if two of
// them replace the same tensor. The ops that follow use the replaced numbers. Backward does not
// know of the replacement: it goes through the op that made the tensor as if the op's own numbers
// stood there. Attention's "weights" are a copy for watchers, made beside "mix": replacing them
// changes what is shown and nothing else.
//
// Meanwhile x.tape->op() names the op that made the tensor x, or the op whose backward added the
// last part of its gradient.
class Watcher {
  public:
    virtual ~Watcher() = default;
    // A tensor that nobody wants is not kept: attention's weights take B·H·T² numbers in a block.
    virtual bool wants(std::string_view /*name*/) const { return true; }

    virtual void replace(std::string_view /*name*/, const Tensor& /*tensor*/) {}
    virtual void value(std::string_view /*name*/, const Tensor& /*tensor*/) {}

    // The same for d loss / d tensor, when all its parts have been added. Backward goes on with the
    // replaced numbers.
    virtual void replace_gradient(std::string_view /*name*/, Out /*gradient*/) {}
    virtual void gradient(std::string_view /*name*/, const Tensor& /*tensor*/, In /*gradient*/) {}
};

// The watchers of one tape, and the names of what they see.
class Watchers {
  public:
    bool any() const { return !watchers_.empty(); }
    bool want(std::string_view full_name) const;
    std::string full_name(std::string_view name) const { return scope_ + std::string(name); }

    void show(std::string_view name, const Tensor& x);  // within the current scopes
    void show_gradient(std::string_view full_name, const Tensor& x, In gradient);
    // Shows the gradients of those outputs that have a name: they are complete now.
    void show_gradients(std::span<const Tensor> outputs, GradientMemory& gradients);
    void forget_names() { named_.clear(); }

  private:
    friend class Watching;
    friend class Scope;
    struct Named {
        std::string name;
        Tensor tensor;
    };
    template <class Tell>
    void each(std::string_view full_name, const Tell& tell) const;

    std::vector<Watcher*> watchers_;
    const Watcher* alone_ = nullptr;  // if set, nobody else is shown anything
    std::string scope_;               // "block.0.attention." while somebody watches
    std::vector<Named> named_;        // since the last reset
};

// As long as this object lives, `watcher` sees what the tape names. Such objects end in the reverse
// order of their beginning. alone: for a pass that is made a second time. The other watchers then
// replace what they replaced the first time, so that all numbers are the same, and are shown
// nothing.
class Watching {
  public:
    Watching(Tape& tape, Watcher& watcher, bool alone = false);
    Watching(Tape& tape, const std::vector<Watcher*>& watchers);
    ~Watching();
    Watching(const Watching&) = delete;
    Watching& operator=(const Watching&) = delete;

  private:
    Watchers& watchers_;
    const std::size_t before_;
    const Watcher* const alone_before_;
};

// As long as it lives, names begin with its own: Scope(tape, "block", 3) puts "block.3." before
// them.
class Scope {
  public:
    Scope(Tape& tape, std::string_view name, Index number = -1);
    ~Scope() { watchers_.scope_.resize(outer_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

  private:
    Watchers& watchers_;
    const std::size_t outer_;
};

enum class Phase { forward, backward, update };

// Is told when a part of a training step ends ("linear", "AdamW"). The time since the call before
// was spent on this part.
class Stopwatch {
  public:
    virtual ~Stopwatch() = default;
    virtual void lap(Phase phase, const char* part) = 0;
};

}  // namespace zhuyi
