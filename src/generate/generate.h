// A beginning -> its continuation, token by token.
#pragma once
#include <functional>
#include <vector>

#include "generate/sampler.h"
#include "model/gpt.h"

namespace zhuyi {

// Reads tokens one after the other and says what the next one could be. When the context is full,
// the newest half is kept and read again from position 0, so a text can go on forever; with and
// without the cache the window is the same, and so are all bits of the scores.
class Reader {
  public:
    enum class Cache { on, off };
    explicit Reader(Gpt& model, Cache cache = Cache::on);

    // Scores (V) of what follows these tokens; valid until the next call. At least one token.
    In read(std::span<const Token> tokens);

  private:
    In scores_of(std::span<const Token> tokens);  // of the last one, computing only what is new

    Gpt& model_;
    Cache cache_;
    Past past_;
    Tape tape_{false};
    std::vector<Token> window_;  // the tokens in view, at most `context`
};

struct Continuation {
    Index tokens = 200;       // at most so many
    Token end_of_text = 0;    // stops there; the token itself is not given out
    std::uint64_t place = 0;  // which of several samples of one seed
};

// Hands every new token to `emit` as it is drawn; `emit` returns false to stop. Draws with
// Random(seed, Stream::sampling, position, place). Gives the number of tokens drawn.
Index generate(Gpt& model, std::span<const Token> prompt, const SamplerConfig& sampler,
               const Continuation& wish, const std::function<bool(Token)>& emit,
               Reader::Cache cache = Reader::Cache::on);

}  // namespace zhuyi
