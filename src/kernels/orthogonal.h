// The nearest orthogonal matrix, the heart of Muon (Jordan 2024): X = U Σ Vᵀ becomes about U Vᵀ,
// every singular value about 1. Nobody computes U, Σ and V for that. An odd polynomial of X,
//     p(X) = a X + b (X Xᵀ) X + c (X Xᵀ)² X,
// applies a σ + b σ³ + c σ⁵ to each singular value σ and leaves U and V alone. Three of them, one
// after another, bring every σ in [0.01, 1] between 0.71 and 1.29 (Polar Express: Amsel et al.,
// arXiv 2505.16932; these are their coefficients for that interval).
//
// Let m be the shorter side of X. The factor f = a I + b G + c G² of a polynomial needs G = X Xᵀ
// (m, m) only, and G of the next one is f G f. So the three factors are found on the small side,
// and X is met twice: in the first G and in Y = f₃ f₂ f₁ X. All matrices between them are
// polynomials of the same G: symmetric, and any two commute. Their products are symmetric again, so
// half of each is computed and mirrored. Row k of a symmetric matrix is its column k: the tile
// (tile.h) reads both operands as they stand, nothing is packed.
//
// The cost: half a product X Xᵀ, nine halves of m × m × m, and one product with X. One matrix is
// the work of one thread; the matrices of all blocks lie side by side over the threads.
#pragma once
#include "kernels/kernels.h"
#include "kernels/small_product.h"
#include "kernels/tile.h"

namespace zhuyi::ZHUYI_INSTRUCTION_SET {
namespace {

// A matrix row by row, `stride` numbers from one to the next.
struct Rows {
    Real* at;
    Index stride;
};

// Between the rows of a matrix of `columns`: the tile may read whole vectors past the last column,
// and neighbouring rows fall on different lines of the first-level cache.
constexpr Index stride_of(Index columns) { return round_up(columns, 2 * kLanes) + kLanes; }

// C (M, N) = A (M, K) · B (K, N) on this thread. upper: of a symmetric C the tiles that touch its
// upper half are enough. In pieces along k that stay in the caches; C carries the chains on.
template <class Left>
void multiply(Rows C, Left A, Rows B, Index M, Index N, Index K, bool upper) {
    constexpr Index kWide = kTileVectors * kLanes, kPart = 128;
    for (Index k = 0; k < K; k += kPart)
        for (Index n = 0; n < N; n += kWide) {
            const Index width = smaller_of(kWide, N - n), depth = smaller_of(kPart, K - k);
            const Index end = upper ? smaller_of(M, n + width) : M;
            const Index panels = (end + kTileRows - 1) / kTileRows;
            for (Index p = 0, i = 0; p < panels; ++p) {
                const Index rows = (end - i + panels - p - 1) / (panels - p);  // about equal parts
                Real* c = C.at + i * C.stride + n;
                const Start start = {k > 0 ? c : nullptr, C.stride};
                const Real* b = B.at + k * B.stride + n;
                const auto run = width > kLanes ? Tiles<Exact, Left, kTileVectors>::of(rows)
                                                : Tiles<Exact, Left, 1>::of(rows);
                run(depth, A.from(i, k), {b, B.stride}, nullptr, start, c, C.stride, width,
                    Store::cached, Ahead{});
                i += rows;
            }
        }
}

// Below the diagonal of C (m, m) as above it, in squares of 16 x 16. C has room for whole squares.
inline void mirror(Rows C, Index m) {
    for (Index i = 0; i < m; i += kLanes)
        for (Index j = i; j < m; j += kLanes) {
            Lanes block[kLanes], transposed[kLanes];
            for (Index r = 0; r < kLanes; ++r)
                transposed[r] = block[r] = load(C.at + (i + r) * C.stride + j);
            transpose<kLanes>(transposed);
            for (Index r = 0; r < kLanes; ++r)
                store(C.at + (j + r) * C.stride + i,
                      i == j ? choose(transposed[r], block[r], r) : transposed[r]);
        }
}

// The largest |x|; 0 for no numbers.
inline Real largest(const Real* x, Index count) {
    Lanes most = all(0);
    for_lanes(count, [&](Index i, auto part) {
        const Lanes a = load(x + i, part);
        most = larger(most, larger(a, all(0) - a));
    });
    Real lanes[kLanes], most_of_all = 0;
    store(lanes, most);
    for (const Real lane : lanes) most_of_all = lane > most_of_all ? lane : most_of_all;
    return most_of_all;
}

// Polynomials of one G (m, m), in the memory they share.
struct Squares {
    Index m, stride;

    Index size() const { return round_up(m, kLanes) * stride; }  // numbers of one matrix
    Rows number(Real* memory, Index i) const { return {memory + i * size(), stride}; }

    void product(Rows C, Rows A, Rows B) const {
        multiply(C, ColumnsOf{A.at, A.stride}, B, m, m, m, true);
    }
    void multiply_by(Rows C, Real factor) const {
        for_all_rows(C, [=](Real* c, Index i, auto part) {
            store(c + i, load(c + i, part) * all(factor), part);
        });
    }
    // body(row of C, column, part) for each row
    template <class Body>
    void for_all_rows(Rows C, const Body& body) const {
        for (Index r = 0; r < m; ++r)
            for_lanes(m, [&](Index i, auto part) { body(C.at + r * C.stride, i, part); });
    }
    // ‖C‖, the root of the sum of all squares: four rows at a time, each in lanes of its own
    double length(Rows C) const {
        Lanes squares[4] = {all(0), all(0), all(0), all(0)};
        for (Index r = 0; r < m; ++r)
            for_lanes(m, [&](Index i, auto part) {
                const Lanes c = load(C.at + r * C.stride + i, part);
                squares[r % 4] = fma(c, c, squares[r % 4]);
            });
        return __builtin_sqrt(double(sum((squares[0] + squares[1]) + (squares[2] + squares[3]))));
    }
    // f = a I + b G + c G², from the upper half of G²
    void factor(Rows f, Rows G, Rows GG, const double (&abc)[3]) const {
        const Real a = Real(abc[0]), b = Real(abc[1]), c = Real(abc[2]);
        for (Index r = 0; r < m; ++r) {
            const Index row = r * stride;
            for_lanes(m, [&](Index i, auto part) {
                const Lanes g = load(G.at + row + i, part), gg = load(GG.at + row + i, part);
                store(f.at + row + i, fma(all(b), g, all(c) * gg), part);
            });
            f.at[row + r] += a;
        }
        mirror(f, m);
    }
    // Z = f₃ f₂ f₁ from G, which is used up. squares: five matrices; gives the one that holds Z.
    Rows polar_factor(Real* squares) const {
        static constexpr double kPolarExpress[3][3] = {{7.8327090, -21.4357903, 15.1063201},
                                                       {3.5821168, -2.5766242, 0.4872445},
                                                       {2.7044521, -2.0123759, 0.4565303}};
        Rows G = number(squares, 0), f = number(squares, 1), Z = number(squares, 2);
        Rows other = number(squares, 3);
        const Rows product_of = number(squares, 4);
        for (int step = 0; step < 3; ++step) {
            product(product_of, G, G);
            factor(step == 0 ? Z : f, G, product_of, kPolarExpress[step]);
            const Rows now = step == 0 ? Z : f;
            if (step < 2) {  // G = f G f
                product(product_of, G, now);
                mirror(product_of, m);
                product(G, product_of, now);
                mirror(G, m);
            }
            if (step > 0) {  // Z = f Z
                product(other, f, Z);
                mirror(other, m);
                const Rows old = Z;
                Z = other, other = old;
            }
        }
        return Z;
    }
};

// Where things stand in the memory of one call: X, X transposed (only when it has fewer rows than
// columns), five squares.
struct OrthogonalPlan {
    Index rows, columns;
    bool wide() const { return rows < columns; }
    Squares squares() const {
        const Index m = smaller_of(rows, columns);
        return {m, stride_of(m)};
    }
    Index X_size() const { return rows * stride_of(columns); }
    Index transposed_size() const { return wide() ? columns * stride_of(rows) : 0; }
    Index numbers() const { return X_size() + transposed_size() + 5 * squares().size() + kLanes; }
};

inline Index orthogonalise_numbers(Index rows, Index columns) {
    return OrthogonalPlan{rows, columns}.numbers();
}

inline void orthogonalise(Real* y, const Real* x, Index rows, Index columns, Real* memory) {
    const OrthogonalPlan plan{rows, columns};
    const Squares squares = plan.squares();
    const Rows X{memory, stride_of(columns)};
    const Rows transposed{memory + plan.X_size(), stride_of(rows)};
    Real* rest = transposed.at + plan.transposed_size();
    // Only directions matter. Divided by its largest element, X Xᵀ neither underflows nor
    // overflows, however small or large the gradient is.
    const Real most = largest(x, rows * columns);
    const Real scale = most > 0 ? 1 / most : 0;
    for (Index r = 0; r < rows; ++r)
        for_lanes(columns, [&](Index i, auto part) {
            store(X.at + r * X.stride + i, load(x + r * columns + i, part) * all(scale), part);
        });
    // G = X Xᵀ (or Xᵀ X), the short side outside
    const Rows G = squares.number(rest, 0);
    if (plan.wide())
        transpose_rows(transposed.at, transposed.stride, X.at, X.stride, rows, columns);
    const Rows tall = plan.wide() ? transposed : X;
    multiply(G, ColumnsOf{tall.at, tall.stride}, tall, squares.m, squares.m,
             plan.wide() ? columns : rows, true);
    mirror(G, squares.m);
    // σ² ≤ ‖X Xᵀ‖, so σ ≤ 1 after the division by √‖X Xᵀ‖; 1.02 leaves room for rounding.
    const double s = most > 0 ? 1 / (1.02 * squares.length(G)) : 0;
    squares.multiply_by(G, Real(s));
    const Rows Z = squares.polar_factor(rest);
    squares.multiply_by(Z, Real(__builtin_sqrt(s)));
    if (plan.wide())  // Y = Z X
        multiply({y, columns}, ColumnsOf{Z.at, Z.stride}, X, rows, columns, rows, false);
    else  // Y = X Z
        multiply({y, columns}, RowsOf{X.at, X.stride}, Z, rows, columns, columns, false);
}

}  // namespace
}  // namespace zhuyi::ZHUYI_INSTRUCTION_SET
