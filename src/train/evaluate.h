// How well a model predicts a text it was not trained on.
#pragma once
#include <span>

#include "base/real.h"

namespace zhuyi {

class Gpt;
class Tape;

struct Evaluation {
    double nats = 0;        // sum of -ln p(next token)
    Index predictions = 0;  // tokens predicted: all but the first

    double loss() const { return predictions ? nats / double(predictions) : 0; }  // nats per token
};

// Over non-overlapping windows of the whole text; every token but the first is predicted exactly
// once. `batch` windows run side by side, which changes the speed and no bit of the result.
Evaluation evaluate(Gpt& model, Tape& tape, std::span<const Token> text, Index batch);

// The first documents of a text: as many whole ones as fit into `tokens`, or, if the first one is
// longer, its first `tokens`. With 0 the whole text.
std::span<const Token> first_documents(std::span<const Token> text, Token end_of_text,
                                       Index tokens);

// Each document by itself, read from its beginning: after <|endoftext|> every token is predicted,
// the document's own end too. Where a document is longer than the context, the last half of it is
// read again before what follows.
Evaluation evaluate_documents(Gpt& model, Tape& tape, std::span<const Token> text,
                              Token end_of_text, Index batch);

}  // namespace zhuyi
