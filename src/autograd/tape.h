// Reverse-mode differentiation. Ops run forward in the order of the code and record how to undo
// themselves; backward() walks the records in reverse. The tape is already sorted: no graph, no
// recursion, no visited set.
//
// The one rule: backward adds. Every undo adds into the gradients of its inputs and never assigns,
// so a tensor used twice is right by construction. (Sum in base/real.h: the first addition may be a
// store.)
//
// Activations, saved values and the undo closures live in an arena that is reset, never freed. An
// activation's gradient borrows memory only from the first addition until its own undo has run;
// with L blocks only a handful exist at a time. After the first step a training step allocates
// nothing.
#pragma once
#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/tensor.h"
#include "base/workspace.h"
#include "kernels/kernels.h"

namespace zhuyi {

// Sees each named tensor as it is computed, and its gradient as soon as that is complete.
// Names read like "block.0.attention.weights".
class Watcher {
  public:
    virtual ~Watcher() = default;
    // What nobody wants is not kept: attention's weights take B·H·T² numbers in every block.
    virtual bool wants(std::string_view /*name*/) const { return true; }
    virtual void value(std::string_view name, const Tensor& tensor) = 0;
    virtual void gradient(std::string_view /*name*/, const Tensor& /*tensor*/, In /*gradient*/) {}
};

enum class Phase { forward, backward, update };

// Told when a part of a training step ends ("linear", "AdamW"): the time since the part before was spent on it.
class Stopwatch {
  public:
    virtual ~Stopwatch() = default;
    virtual void lap(Phase phase, const char* part) = 0;
};

class Tape {
  public:
    // recording: false for inference — no gradients, no closures.
    explicit Tape(bool recording, Precision precision = Precision::fp32);
    Tape(const Tape&) = delete;
    Tape& operator=(const Tape&) = delete;

    bool recording() const { return recording_; }
    Precision precision() const { return precision_; }
    Workspace& workspace() { return workspace_; }

    // ---- for ops, forward
    Tensor tensor(Shape shape);  // a new activation, values uninitialised
    // Memory that lives until backward has used it.
    template <class T>
    std::span<T> keep(Index count) {
        return arena_.array<T>(count);
    }
    const char* keep_text(std::string_view text);

    // `undo(Tape&)` adds into the gradients of the op's inputs; it runs only if some output's
    // gradient was touched, and may read every output's gradient. It is copied into the arena:
    // capture views, by value.
    template <class Undo>
    void record(const char* op, std::initializer_list<Tensor> outputs, const Undo& undo) {
        lap(Phase::forward, op);
        if (!recording_) return;
        const std::span<Tensor> kept = arena_.array<Tensor>(Index(outputs.size()));
        std::copy(outputs.begin(), outputs.end(), kept.begin());
        records_.push_back({op, kept, arena_.create(undo), [](const void* closure, Tape& tape) {
                                (*static_cast<const Undo*>(closure))(tape);
                            }});
    }

    // ---- for ops, backward
    // Where to add into input's gradient; null data: unwanted.
    Sum into(const Tensor& input);
    // The same, always with numbers in it already (add is true): for ops that reach only some rows.
    Sum into_zeroed(const Tensor& input);
    const Real* gradient(const Tensor& output);  // complete when the op's undo runs
    // dx += dy, for an op that hands its output's gradient on as it is. Where nobody has added to dx
    // yet, x and y share the memory, and whoever is first to add to it then gets a copy.
    void pass_on(const Tensor& output, const Tensor& input);

    // ---- for the model and the trainer
    // Seeds d loss / d loss = seed and undoes everything recorded.
    void backward(const Tensor& loss, Real seed = 1);
    void reset();  // forgets all activations and records, keeps the memory
    std::size_t bytes() const { return arena_.capacity() + pool_.capacity(); }
    std::size_t used_bytes() const { return arena_.used() + pool_.used(); }  // of those, asked for

    // ---- timing
    void time(Stopwatch* stopwatch) { stopwatch_ = stopwatch; }  // null: nobody
    void lap(Phase phase, const char* part) {
        if (stopwatch_) stopwatch_->lap(phase, part);
    }

    // ---- watching
    void watch(Watcher* watcher) { watcher_ = watcher; }  // null: nobody
    // Does anybody want x.name of the current scopes?
    bool watched(const char* name) const { return watcher_ && watcher_->wants(full_name(name)); }
    // Names x within the current scopes, shows it to the watcher, and gives x back:
    // `return tape.name("mix", x)`.
    Tensor name(const char* name, const Tensor& x);
    // For what an op computes on the way and differentiates itself (attention's weights).
    void show_gradient(const std::string& full_name, const Tensor& x, In gradient);
    std::string full_name(std::string_view name) const;

    // One level of names: "block.3" while it lives.
    class Scope {
      public:
        Scope(Tape& tape, const char* name, Index number = -1);
        ~Scope();
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

      private:
        Tape& tape_;
        std::size_t outer_;
    };

  private:
    struct Record {
        const char* op;
        std::span<Tensor> outputs;
        const void* closure;
        void (*undo)(const void* closure, Tape& tape);
    };
    struct Named {
        std::string name;
        Tensor tensor;
    };
    // Gradient memory by size: taken at the first addition, given back behind the undo.
    struct Shelf {
        Index size;
        std::vector<Real*> free;
    };
    Real* borrow(Index size);
    void give_back(Gradient& gradient);
    bool leave_shared(Gradient& gradient);

    const bool recording_;
    const Precision precision_;
    Arena arena_;
    Arena pool_;  // never reset: gradients of the same sizes come back every step
    std::vector<Shelf> shelves_;
    std::vector<const Real*> shared_;  // gradient memory, once for each owner beyond the first
    std::vector<Record> records_;
    Workspace workspace_;
    Stopwatch* stopwatch_ = nullptr;
    Watcher* watcher_ = nullptr;
    std::string scope_;  // "block.0.attention." while watched
    std::vector<Named> named_;
};

}  // namespace zhuyi
