// A beginning -> its continuations: token by token, and as text.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "autograd/tape.h"
#include "formats/json.h"
#include "generate/sampler.h"
#include "kernels/past.h"

namespace zhuyi {

class Gpt;
class Options;
class Tokenizer;

// Reads texts of one length, token after token, and gives the scores of the next token of each.
// When the context is full, its newest half is kept and read again from position 0; so a text can
// go on without end. With and without the cache, alone and beside other texts, the window is the
// same, and so is every bit of the scores.
class Reader {
  public:
    explicit Reader(Gpt& model, bool cached = true, Precision precision = Precision::fp32);

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
    const bool cached_;
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
    Precision precision = Precision::fp32;  // of the operands of matrix products
    bool cached = true;                     // otherwise each token reads the whole window again
};

// Hears of a new token: the number of its text (from 0), and the scores (V) that it was drawn from.
// Returns false to end that text.
using Emit = std::function<bool(Index text, Token token, In scores)>;

// Calls `emit` with every new token. Draws with Random(seed,
// Stream::sampling, tokens drawn before, place + text). Returns how many tokens were drawn for all
// texts together; a token that ends a text is not counted.
Index generate(Gpt& model, std::span<const Token> prompt, const SamplerConfig& sampler,
               const Continuation& wish, const Emit& emit);

// ---- as text: tokens become whole characters, a given text ends them

struct Writing : Continuation {
    std::string prompt;
    std::vector<std::string> stops;  // a text ends before the first of these
    bool log_probabilities = false;  // those of the tokens are wanted
};

void declare(Options& options, Writing& wish);  // tokens, stop, precision

struct Written {
    enum class End { tokens, end_of_text, stop };
    std::string text;                       // after the prompt
    std::vector<Token> tokens;              // those of a stop included
    std::vector<double> log_probabilities;  // of each token, by the model itself, where wanted
    End end = End::tokens;
};

// show: called with every piece of text as it comes, and the number of its text (from 0).
std::vector<Written> write_texts(
    Gpt& model, const Tokenizer& tokenizer, const SamplerConfig& sampler, const Writing& wish,
    const std::function<void(Index text, const std::string&)>& show = [](Index, auto&) {});

// {"prompt", "text", "end": "tokens" | "end_of_text" | "stop",
//  "tokens": [{"id", "text", "log_probability"}, …]}
Json json_of(const Written& written, const std::string& prompt, const Tokenizer& tokenizer);

// Ends a text where one of some given texts would begin.
class StopTexts {
  public:
    explicit StopTexts(const std::vector<std::string>& stops);

    // Gives what of the text so far may be shown: up to the first stop, which itself is not shown,
    // or without a tail that could still become one.
    std::string push(const std::string& more);
    // What was held back; empty after a stop.
    std::string finish();
    bool reached() const { return reached_; }

  private:
    std::vector<std::string> stops_;
    std::string held_;
    bool reached_ = false;
};

}  // namespace zhuyi
