// Which embeddings point the same way.
#pragma once
#include <span>
#include <vector>

#include "base/list.h"

namespace zhuyi {

class Tokenizer;
class Workspace;
struct Tensor;

struct Neighbour {
    Token token;
    double cosine;  // of the angle between the two embeddings: 1 the same direction, 0 unrelated
};

// Tokens that can be a neighbour: those that the training text holds, or all if the vocabulary does
// not count (an imported one). A token that was never read keeps its random start, so its direction
// means nothing.
std::vector<Token> possible_neighbours(const Tokenizer& tokenizer);

// The `count` rows of E (V, C) among `candidates` with the largest cosine to x, largest first; of
// equal ones the smaller token comes first.
List<Neighbour> nearest(std::span<const double> x, const Tensor& E,
                        std::span<const Token> candidates, Index count);

// The same for each token of `of`, without the token itself.
// Costs |of| · |candidates| · C multiplications.
List<List<Neighbour>> nearest(const Tensor& E, View<const Token> of, View<const Token> candidates,
                              Index count, Workspace& workspace);

}  // namespace zhuyi
