// Which words pushed an embedding over a whole training, as a sheet.
#pragma once
#include "film/history.h"
#include "formats/sheet.h"

namespace zhuyi {

class Tokenizer;

// What each context has added to E[token] from step 0 up to a frame (film/pushes.h).
struct Pushed {
    struct Context {
        Label name, kind;           // "， → [小]", "predicted"
        std::string times;          // in the training part: "1577/31413"; "": does not apply
        std::vector<double> moved;  // (C)
        // (C) both, of a place where the token was predicted: as the right answer, and as a guess
        // while another token came. They sum to `moved`. Empty: it was read there.
        std::vector<double> answer{}, guess{};
    };
    Index step;
    std::vector<Context> contexts;
    std::vector<double> moved;    // (C): E[token] now minus E[token] at step 0
    std::vector<double> divisor;  // (C): √v̂ + ε at this step; empty at step 0
};

// Up to the last frame that has it. Throws UsageError where the training did not record it for this
// token; the message says for which it did, and how to.
Pushed pushed(const History& history, const Tokenizer& tokenizer, Token token);
// `towards`: tokens whose embedding's place at the end gives a direction; empty: the nearest ones.
Sheet push_sheet(const History& history, const Tokenizer& tokenizer, Token token,
                 std::vector<Token> towards);

}  // namespace zhuyi
