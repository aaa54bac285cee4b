// Why a model predicts what it predicts at one position: the effect of each earlier character, what
// the model would say after each block, and what each part adds to the answer's logit. The page
// shows the same (film/page/why.js).
#pragma once
#include "explain/forward.h"

namespace zhuyi {

struct WorkedWhy : WorkedText {
    using WorkedText::WorkedText;

    WorkedPrediction answer;  // the token that is asked about
    Index rank = 0;           // of its probability, from 1

    // How much ln p(answer) falls, in nats, when the character is replaced by a neutral one, and
    // when no later position looks at it (its scores are -∞ in every head). One pass each.
    struct Effect {
        Index position;
        std::string neutral;   // the most frequent token that spells something, another one
        double replaced, cut;  // cut: 0 at the query itself, after which nobody looks
    };
    std::vector<Effect> effects;  // (query + 1)

    // The vector of the query after a block, straight through the last LayerNorm and the output
    // layer ("logit lens": nostalgebraist 2020).
    struct Guess {
        Index block;  // -1: what enters the first one
        std::vector<WorkedPrediction> top;
        double probability;  // of the answer
        Index rank;
    };
    std::vector<Guess> lens;  // (L + 1)

    // x before the last LayerNorm is a sum x = Σ d_i, so the answer's logit is one too:
    //
    //     z[a] = Σ_i r γ · (d_i - mean(d_i)) · E[a] + β · E[a],   r = 1/√(σ²(x) + ε)
    //
    // (Elhage et al. 2021, "direct" effects through the residual stream.) With its own output layer
    // a model has column a of head.W in the stead of E[a].
    enum class PartKind { embedding, head, bias, ffn, beta };
    struct Part {
        PartKind kind;
        Index block, head;  // -1 where there is none
        double logit;
    };
    std::vector<Part> parts;  // embedding; of each block H heads, b_O, FFN; β
    double sum = 0;           // of all parts: answer.logit, up to rounding
};

// ids: the whole text. answer: a token; -1: the token after focus.query, or at the end of the text
// the likeliest one. Costs 2 (query + 1) passes.
WorkedWhy worked_why(const WorkedModel& model, std::span<const Token> ids, Focus focus,
                     Token answer);
Sheet why_sheet(const WorkedWhy& why);

}  // namespace zhuyi
