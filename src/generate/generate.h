// A beginning -> its continuations, token by token.
#pragma once
#include <functional>
#include <vector>

#include "autograd/tape.h"
#include "generate/sampler.h"
#include "kernels/past.h"

namespace zhuyi {

class Gpt;

// Reads texts of one length, token after token, and gives the scores of the next token of each.
// When the context is full, its newest half is kept and read again from position 0; so a text can
// go on without end. With and without the cache, alone and beside other texts, the window is the
// same, and so is every bit of the scores.
class Reader {
  public:
    enum class Cache { on, off };
    explicit Reader(Gpt& model, Cache cache = Cache::on, Precision precision = Precision::fp32);

    Index texts() const { return past_.texts(); }

    // tokens: T >= 1 more of each text, (texts, T). Gives the scores (texts, V) of what follows;
    // valid until the next call.
    In read(std::span<const Token> tokens);

    // May be called once: makes `texts` texts of the one text, without reading its tokens again.
    void part(Index texts);

  private:
    Index context() const { return past_.capacity(); }
    Token* window(Index text) { return window_.data() + text * context(); }
    In scores_after(Index count);  // of the window with `count` more tokens

    Gpt& model_;
    Cache cache_;
    Past past_;
    Tape tape_;
    std::vector<Token> window_;  // (texts, context): the tokens that the model sees
    Index length_ = 0;           // how many of each text
};

struct Continuation {
    Index tokens = 200;       // at most
    Token end_of_text = 0;    // a text ends there; the token itself is not given to `emit`
    std::uint64_t place = 0;  // the number of the first sample among those of one seed …
    Index texts = 1;          // … and how many, from there on, at once: each as it would be alone
    Precision precision = Precision::fp32;  // of the factors of products
};

// A new token, the number of its text (from 0), and the scores (V) that it was drawn from.
struct Drawn {
    Index text;
    Token token;
    In scores;
};

// Calls `emit` with every new token; `emit` returns false to end that text. Draws with Random(seed,
// Stream::sampling, tokens drawn before, place + text). Returns how many tokens were drawn for all
// texts together; a token that ends a text is not counted.
Index generate(Gpt& model, std::span<const Token> prompt, const SamplerConfig& sampler,
               const Continuation& wish, const std::function<bool(const Drawn&)>& emit,
               Reader::Cache cache = Reader::Cache::on);

}  // namespace zhuyi
