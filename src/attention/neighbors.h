// Which embeddings point the same way.
#pragma once
#include <span>
#include <vector>

#include "base/real.h"

namespace zhuyi {

class Tokenizer;
class Workspace;
struct Tensor;

struct Neighbour {
    Token token;
    double cosine;  // of the angle between the two embeddings: 1 the same direction, 0 unrelated
};

// Tokens that can be somebody's neighbour: those that the training text has (all of them where an
// imported vocabulary counts nothing). A token never met keeps its random beginning, which points
// nowhere.
std::vector<Token> possible_neighbours(const Tokenizer& tokenizer);

// The `count` rows of E (V, C) among `candidates` that point most nearly as x does, nearest first;
// ties go to the smaller token.
std::vector<Neighbour> nearest(std::span<const double> x, const Tensor& E,
                               std::span<const Token> candidates, Index count);

// For each token of `of`, its nearest `count` among `candidates` without itself, in that order.
// Costs |of| · |candidates| · C multiplications.
std::vector<std::vector<Neighbour>> nearest(const Tensor& E, std::span<const Token> of,
                                            std::span<const Token> candidates, Index count,
                                            Workspace& workspace);

}  // namespace zhuyi
