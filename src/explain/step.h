// Training steps as sheets: one step, what it read, what it changed, and why; and some steps, seen
// from one token.
#pragma once
#include <functional>

#include "explain/backward.h"
#include "train/moved_by.h"

namespace zhuyi {

enum class UpdateRule;

// ---- a step and what is seen of it (step_batch.cpp)

// The batch of a step: one of (B, T) for each pass.
struct Windows {
    List<List<Token>> ids, targets;
    Index length;  // T

    Batch of_pass(Index pass) const {
        return {ids[pass], targets[pass], ids[pass].count() / length};
    }
    Index times_read(Token token) const { return times_in(ids, token); }
    Index times_asked(Token token) const { return times_in(targets, token); }

  private:
    static Index times_in(const List<List<Token>>& passes, Token token);
};

// Returns what training draws from `text` for update number step + 1.
Windows draw_windows(const WorkedTraining& training, std::span<const Token> text, Index step);
// Returns a batch of this text alone: all tokens but the last are read, all but the first
// predicted.
Windows windows_of(std::span<const Token> text);

// Collects what every position of the batch hands back to the row of the embedding that it read.
class InputGradients : public Watcher {
  public:
    InputGradients(const Windows& windows, const GptConfig& config);

    bool wants(std::string_view name) const override { return name == "embedding"; }
    void value(std::string_view, const Tensor&) override { ++pass_; }
    void gradient(std::string_view, const Tensor& x, In dx) override;

    std::span<const double> sum(Token token) const { return sums_.row(token); }
    // Returns the position that handed in most, "…吃了一个[苹]果…", or "" if none read the token.
    std::string strongest(Token token, const Tokenizer& tokenizer) const;

  private:
    const Windows& windows_;
    Index pass_ = -1;   // the one that is running
    Grid sums_;         // (V, C)
    Numbers most_;      // (V): the largest ‖dx‖² that a position handed in; -1 if none read it
    List<Index> from_;  // (V): that position, counted through all passes
};

// Makes update number step + 1 on `training`'s own parameters.
StepReport make_update(const WorkedTraining& training, Index step, const Windows& windows,
                       Watcher& watcher);
// Does the same, and adds to `by` what moved E[token]: cause 0 is the positions that read the
// token, cause 1 is the output layer, if it uses the same table.
StepReport follow_update(const WorkedTraining& training, Index step, const Windows& windows,
                         Token token, MovedBy& by);

// ---- one step (step.cpp)

// Makes update number training.step + 1 with the batch that training draws from `text`, and says
// what it changed. It changes `training`'s own parameters, so give it a copy. The sections are
// step, batch, rows, blocks.
Sheet step_sheet(const WorkedTraining& training, std::span<const Token> text);

// ---- some steps, and what they do to one token (token_step.cpp)

struct TokenWish {
    std::vector<Token> text{};
    Focus focus{};  // query: the token's position in `text`
    Index times = 1;
    bool on_text = false;  // the batches are `text` alone; else the run's own
    // As the page's bench makes them: by an optimizer of these settings that remembers nothing,
    // without weight decay. Otherwise the run's own goes on.
    bool anew = false;
    UpdateRule optimizer{};
    double learning_rate = 0.1, clip = 1;
    Index at = -1;         // from the film's snapshot nearest to this step; -1: the checkpoint
    std::string begins{};  // a sentence that says so, filled in by who finds the weights
};

// Returns the batch of update number step + 1.
using DrawWindows = std::function<Windows(Index step)>;

// Makes the updates on `training`'s own parameters (so give it a copy), and says what they do to
// the token: to its embedding, to a row of W_Q and of W_K, to where it looks and what it expects
// next. The sections are updates, embedding, parts, matrices, attention, next.
Sheet token_sheet(const WorkedTraining& training, const TokenWish& wish, const DrawWindows& draw);

}  // namespace zhuyi
