// The directions of a matrix: X = U Σ Vᵀ is a sum of σ_i · u_i v_iᵀ, one term for each direction.
#pragma once
#include <vector>

#include "base/grid.h"

namespace zhuyi {

struct Direction {
    double size;   // σ_i, the singular value of X
    double other;  // u_iᵀ Y v_i: how large another matrix Y is along it; 0 where σ_i is 0
};

// Returns the min(rows, columns) directions of X, the largest first, and how large Y is along each
// of them. X and Y have the same shape. One-sided Jacobi (Hestenes 1958) in double: some ten sweeps
// over all pairs of rows, each min²·max operations.
std::vector<Direction> directions(Grid X, Grid Y);

}  // namespace zhuyi
