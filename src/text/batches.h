// The batches of a training: windows of its text, drawn at each step.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/real.h"
#include "text/tokenizer.h"

namespace zhuyi {

// Where windows begin. random: anywhere, each by itself, as nanoGPT has it; when as much is read as
// the text is long, a share of 1/e of it was not read yet. shuffled: side by side from some place
// on, in a mixed order, until the whole text is read; then from another place, in another order.
enum class WindowOrder { random, shuffled };
const char* name_of(WindowOrder order);

struct BatchConfig {
    Index batch = 12;      // B: windows side by side in one pass
    Index accumulate = 1;  // passes whose gradients are averaged into one step
    WindowOrder order = WindowOrder::random;
    Index seed = 1337;  // of everything that a training draws
};

struct Batch {
    std::span<const Token> ids, targets;  // (texts, T)
    Index texts;                          // B
};

// Gives the batch of pass number `pass` (from 0) of one step; valid until the next one is drawn.
using DrawBatch = std::function<Batch(Index pass)>;

// The same for the same configuration, whatever was drawn before: to go on, a training remembers
// just its step.
class Batches {
  public:
    // Needs text.size() > T, else Error: the targets are one further.
    Batches(std::span<const Token> text, const BatchConfig& config, Index T);
    DrawBatch of_step(Index step);  // of update number step + 1

  private:
    Index beginning(Index step, Index pass, Index b);
    void shuffle(Index reading);

    const std::span<const Token> text_;
    const BatchConfig config_;
    const Index T_, beginnings_;
    std::vector<Index> shuffled_;       // where the windows of one reading of the text begin
    Index reading_ = -1;                // … its number
    std::vector<Token> ids_, targets_;  // (B, T)
};

}  // namespace zhuyi
