// Which embeddings point the same way.
#pragma once
#include <span>
#include <vector>

#include "base/workspace.h"
#include "model/parameters.h"

namespace zhuyi {

struct Neighbour {
    Token token;
    double cosine;  // of the angle between the two embeddings: 1 the same direction, 0 unrelated
};

// For each token of `of`, its nearest `count` among `candidates` (without itself), nearest first; ties
// go to the smaller token. E (V, C). Costs |of| · |candidates| · C multiplications.
std::vector<std::vector<Neighbour>> nearest(const Tensor& E, std::span<const Token> of,
                                            std::span<const Token> candidates, Index count,
                                            Workspace& workspace);

}  // namespace zhuyi
