// Some training steps, and what they do to one token: its embedding, a row of W_Q and of W_K, where
// it looks, and what it expects next.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "attention/neighbors.h"
#include "explain/step_rows.h"

namespace zhuyi {

// What is looked at, and how many updates are made.
struct TokenWish {
    std::vector<Token> text;
    Focus focus;  // query: the token's position in `text`
    Index times = 1;
    bool on_text = false;  // the batches are `text` alone; else the run's own
};

struct WorkedTokenSteps {
    // (C) each: what an update, or all of them, moved E[token] by; they add up to the update.
    struct Parts {
        Numbers read;    // by gradients from where the token was read, in these updates
        Numbers output;  // by the output layer's, which uses the same table
        Numbers before;  // by what m remembered from before the first of these updates
        Numbers decay;
    };
    struct Update {
        StepReport report;
        Index inputs, targets;  // how often its batch has the token
        Parts parts;
        Numbers moved;                         // (C): E[token] after it minus before it
        std::vector<Neighbour> towards, away;  // rows of E that `moved` points to, and away from
    };

    WorkedText text;
    bool on_text = false, over = false, frozen = false, tied = true;
    Index channel = 0;                 // the row of W_Q and W_K that is shown: it moved most
    Grid E{};                          // (times + 1, C): E[token], before the first, after each
    Grid W_Q{}, W_K{};                 // (times + 1, d_k): that row, this head's columns
    Index asker = 0;                   // whose attention is shown: the token; if it is the first of
                                       // the text and sees only itself, the text's last one
    Grid attention{};                  // (times + 1, asker + 1)
    std::vector<Token> guesses{};      // the likeliest next ones, and the text's own
    std::vector<std::string> names{};  // of the guesses
    Token answer = -1;                 // the text's own next token; -1 at its end
    Grid next{};                       // (times + 1, guesses): their probabilities
    std::vector<Update> updates{};
    Parts all{};  // of all updates together
    Numbers moved{};
};

// The batch of update number step + 1.
using DrawWindows = std::function<Windows(Index step)>;

// Makes the updates on `training`'s own parameters (so give a copy).
WorkedTokenSteps worked_token_steps(const WorkedTraining& training, const TokenWish& wish,
                                    const DrawWindows& draw);
// The text as the only one of a batch: T tokens read, T predicted.
Windows windows_of(std::span<const Token> text);
Sheet token_sheet(const WorkedTokenSteps& steps, const Tokenizer& tokenizer);

}  // namespace zhuyi
