// How a list of products is run: which neighbours as one (gemm.h), which piece by piece, and which
// row by row (few_rows.h).
#pragma once
#include "kernels/bf16.h"
#include "kernels/few_rows.h"
#include "kernels/gemm.h"

#if defined(__AVX512BF16__)
namespace zhuyi::avx512 {
extern const Kernels table;
}
#endif

namespace zhuyi::ZHUYI_INSTRUCTION_SET {
namespace {

constexpr Index kMostTogether = 4;             // products that run as one
constexpr Index kMostShared = Index(1) << 20;  // numbers packed at once for all

// Where K is so large that even the smaller operand is (the head's dX: the whole vocabulary), the
// product goes piece by piece; C carries the chains from one to the next.
template <class Pack>
inline void in_pieces(const Gemm& g, Workspace& workspace) {
    const Index most = round_up(kMostShared / smaller_of(g.M, g.N) + 1, kDepth * Pack::kPerSlot);
    for (Index k = 0; k == 0 || k < g.K; k += most) {
        Gemm piece = g;
        piece.K = smaller_of(most, g.K - k);
        piece.A.data += k * g.A.column;
        piece.B.data += k * g.B.row;
        if (k > 0) piece.C.add = true, piece.bias = nullptr;
        if (k + most < g.K) piece.finish = Finish::none;
        JointProducts<Pack>(&piece, 1, false, workspace).run();
    }
}

#if defined(__AVX512BF16__)
using PackBf16 = PackPairs;
#else
using PackBf16 = PackRounded;
#endif

// Several at once, one, or one of few rows
template <class Pack>
inline void products(const Gemm* g, Index count, bool one_C, Workspace& workspace) {
    if (count > 1)
        JointProducts<Pack>(g, count, one_C, workspace).run();
    else
        in_pieces<Pack>(*g, workspace);
}

inline bool has_few_rows(const Gemm& g) {
    return g.M <= kFewRows && (g.B.row == 1 || g.B.column == 1);
}

// How many products from the first on run as one: all of one A, or all of one C.
inline Index together(const Gemm* g, Index count, bool one_C) {
    Index n = 1, numbers = g[0].M * g[0].K;
    for (; n < smaller_of(count, kMostTogether); ++n) {
        const Gemm &a = g[0], &b = g[n];
        const bool alike = a.M == b.M && a.precision == b.precision && b.C && !has_few_rows(b);
        const bool same_A =
            a.K == b.K && a.A.data == b.A.data && a.A.row == b.A.row && a.A.column == b.A.column;
        const bool same_C = a.C.data == b.C.data && a.N == b.N && a.stride == b.stride && b.C.add &&
                            !b.bias && a.finish == Finish::none && b.finish == Finish::none;
        numbers += one_C ? b.M * b.K : 0;
        if (!alike || numbers > kMostShared || !(one_C ? same_C : same_A && !same_C)) break;
    }
    return n;
}

// `count` neighbours in fp32: with AVX512_BF16 they are those of AVX-512, compiled once.
inline void exact_products(const Gemm* g, Index count, [[maybe_unused]] bool one_C,
                           Workspace& workspace) {
#if defined(__AVX512BF16__)
    avx512::table.gemms(g, count, workspace);
#else
    has_few_rows(*g) ? few_rows<PackExact>(*g, workspace)
                     : products<PackExact>(g, count, one_C, workspace);
#endif
}

inline void gemms(const Gemm* g, Index count, Workspace& workspace) {
    while (count > 0) {
        Index n = 1;
        const bool bf16 = g->precision == Precision::bf16;
        if (g->M <= 0 || g->N <= 0 || !g->C) {  // nothing to calculate
        } else if (has_few_rows(*g)) {
            bf16 ? few_rows<PackRounded>(*g, workspace) : exact_products(g, 1, false, workspace);
        } else {
            const Index of_A = together(g, count, false), of_C = together(g, count, true);
            n = of_A > of_C ? of_A : of_C;
            bf16 ? products<PackBf16>(g, n, of_C > of_A, workspace)
                 : exact_products(g, n, of_C > of_A, workspace);
        }
        g += n, count -= n;
    }
}

inline void gemm(const Gemm& g, Workspace& workspace) { gemms(&g, 1, workspace); }

}  // namespace
}  // namespace zhuyi::ZHUYI_INSTRUCTION_SET
