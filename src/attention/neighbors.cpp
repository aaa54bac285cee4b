#include "attention/neighbors.h"

#include <algorithm>
#include <cmath>

#include "base/grid.h"
#include "base/parallel.h"
#include "kernels/kernels.h"
#include "model/parameters.h"
#include "text/tokenizer.h"

namespace zhuyi {
// The rows of these tokens, each of length 1 (or 0, where an embedding is all zeros).
static List<Real> directions(const Tensor& E, View<const Token> tokens) {
    const Index C = E.columns(), count = tokens.count();
    List<Real> rows(std::size_t(count * C));
    parallel_for(count, double(C) * 4, [&](Index i) {
        const Real* row = E.value + tokens[i] * C;
        double square = 0;
        for (Index c = 0; c < C; ++c) square += double(row[c]) * double(row[c]);
        const double scale = square > 0 ? 1 / std::sqrt(square) : 0;
        for (Index c = 0; c < C; ++c) rows[i * C + c] = Real(double(row[c]) * scale);
    });
    return rows;
}

static void keep_nearest(List<Neighbour>& all, Index count) {
    const auto end = all.begin() + std::min(count, all.count());
    std::partial_sort(all.begin(), end, all.end(), [](const Neighbour& a, const Neighbour& b) {
        return a.cosine != b.cosine ? a.cosine > b.cosine : a.token < b.token;
    });
    all.erase(end, all.end());
}

std::vector<Token> possible_neighbours(const Tokenizer& tokenizer) {
    std::vector<Token> met, all;
    for (Token token = 0; token < tokenizer.size(); ++token) {
        all.push_back(token);
        if (tokenizer.count(token) > 0) met.push_back(token);
    }
    return met.empty() ? all : met;
}

List<Neighbour> nearest(std::span<const double> x, const Tensor& E,
                        std::span<const Token> candidates, Index count) {
    const double length = zhuyi::length(x);
    List<Neighbour> all;
    for (Token token : candidates) {
        const Real* row = E.value + token * E.columns();
        double product = 0, square = 0;
        for (std::size_t c = 0; c < x.size(); ++c)
            product += x[c] * double(row[c]), square += double(row[c]) * double(row[c]);
        const double lengths = std::sqrt(square) * length;
        all.push_back({token, lengths > 0 ? product / lengths : 0});
    }
    keep_nearest(all, count);
    return all;
}

// With rows of length 1 a cosine is a dot product, and all of them are one matrix product.
List<List<Neighbour>> nearest(const Tensor& E, View<const Token> of, View<const Token> candidates,
                              Index count, Workspace& workspace) {
    const Index C = E.columns(), n = of.count(), M = candidates.count();
    List<List<Neighbour>> found(of.size());
    if (n == 0 || M == 0) return found;
    const List<Real> queries = directions(E, of), keys = directions(E, candidates);
    List<Real> cosines(std::size_t(n * M));
    kernels().gemm(
        {n, M, C, {queries.data(), C, 1}, {keys.data(), 1, C}, {cosines.data(), false}, M},
        workspace);
    parallel_for(n, double(M) * 4, [&](Index i) {
        List<Neighbour> all;
        for (Index j = 0; j < M; ++j)
            if (candidates[j] != of[i]) all.push_back({candidates[j], double(cosines[i * M + j])});
        keep_nearest(all, count);
        found[i].assign(all.begin(), all.end());
    });
    return found;
}

}  // namespace zhuyi
