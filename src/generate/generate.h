// A beginning -> its continuations, token by token.
#pragma once
#include <functional>
#include <vector>

#include "autograd/tape.h"
#include "generate/sampler.h"
#include "model/gpt.h"

namespace zhuyi {

// Reads texts of one length, token after token, and says what the next one of each could be. When
// the context is full, the newest half is kept and read again from position 0, so a text can go on
// forever; with and without the cache, alone and beside others, the window is the same, and so are
// all bits of the scores.
class Reader {
  public:
    enum class Cache { on, off };
    explicit Reader(Gpt& model, Cache cache = Cache::on);

    Index texts() const { return past_.texts(); }

    // tokens: T >= 1 more of each text, (texts, T). Gives the scores (texts, V) of what follows;
    // valid until the next call.
    In read(std::span<const Token> tokens);

    // Once: the one text becomes so many that began alike. What it read so far is not read again.
    void part(Index texts);

  private:
    Index context() const { return model_.config().context; }
    Token* window(Index text) { return window_.data() + text * context(); }
    In scores_behind(Index count);  // the window with `count` more tokens

    Gpt& model_;
    Cache cache_;
    Past past_;
    Tape tape_{false};
    std::vector<Token> window_;  // (texts, context): the tokens in view,
    Index length_ = 0;           // so many of each text
};

struct Continuation {
    Index tokens = 200;       // at most so many
    Token end_of_text = 0;    // a text ends there; the token itself is not given out
    std::uint64_t place = 0;  // which of the samples of one seed …
    Index texts = 1;          // … and how many, from there on, at once: each as it would be alone
};

// Hands every new token to `emit` as it is drawn; `emit` returns false to end that text, counted
// from 0. Draws with Random(seed, Stream::sampling, tokens drawn before, place + text). Gives how
// many tokens were drawn, over all texts; the one that ended a text is not counted.
Index generate(Gpt& model, std::span<const Token> prompt, const SamplerConfig& sampler,
               const Continuation& wish, const std::function<bool(Index text, Token)>& emit,
               Reader::Cache cache = Reader::Cache::on);

}  // namespace zhuyi
