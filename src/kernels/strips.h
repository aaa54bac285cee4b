// Products of one to four rows with a matrix B (K, N) that is laid out for them. A text that is
// written reads every weight for each token: what counts is how many bytes come out of memory, and
// that they stand in the order in which they are read.
//
// Sixteen columns are a strip, up to kMostStrips strips a block. A block goes through k: for each k
// the sixteen numbers of each of its strips. In bf16 two k at a time, a word of 32 bits a column:
// the number of the earlier k in its upper half, the number of the later one in its lower half, as
// bf16.h needs them: half as many bytes. Where K or N ends within a pair or a strip, zeros stand.
//
// The chains, and so the bits, are those of every other product of the same precision; in bf16 A is
// rounded, too.
#pragma once
#include "kernels/bf16.h"
#include "kernels/finish.h"
#include "kernels/loops.h"
#include "kernels/pack.h"

namespace zhuyi::ZHUYI_INSTRUCTION_SET {
namespace {

// The sums of four rows of six strips fill 24 of the 32 registers of AVX-512.
constexpr Index kMostStrips = 6;

// The blocks of a matrix: as few as may be, of about equal size.
struct StripBlocks {
    Index slots, strips, count;  // a slot: one k, or two
    StripBlocks(Index K, Index N, Precision precision)
        : slots(precision == Precision::bf16 ? (K + 1) / 2 : K),
          strips((N + kLanes - 1) / kLanes),
          count((strips + kMostStrips - 1) / kMostStrips) {}
    Index first(Index block) const { return strips * block / count; }
};

// ---- laying out

inline std::size_t strips_bytes(Index K, Index N, Precision precision) {
    const StripBlocks blocks(K, N, precision);
    const std::size_t word = precision == Precision::bf16 ? sizeof(std::uint32_t) : sizeof(Real);
    return std::size_t(blocks.slots * blocks.strips * kLanes) * word;
}

// Row k of B from column n on; zeros outside.
inline Lanes sixteen_of(const Matrix& B, Index K, Index N, Index k, Index n) {
    Real numbers[kLanes] = {};
    for (Index j = 0; j < kLanes && k < K && n + j < N; ++j)
        numbers[j] = B.data[k * B.row + (n + j) * B.column];
    return load(numbers);
}

inline void put_slot(Real* to, const Matrix& B, Index K, Index N, Index k, Index n) {
    store(to, sixteen_of(B, K, N, k, n));
}
inline void put_slot(std::uint32_t* to, const Matrix& B, Index K, Index N, Index pair, Index n) {
    const auto halves = [&](Index k, std::uint32_t(&bits)[kLanes]) {
        Real numbers[kLanes];
        store(numbers, round_to_bf16(sixteen_of(B, K, N, k, n)));
        for (Index j = 0; j < kLanes; ++j) {
            const float number = float(numbers[j]);
            __builtin_memcpy(&bits[j], &number, sizeof number);
        }
    };
    std::uint32_t earlier[kLanes], later[kLanes];
    halves(2 * pair, earlier), halves(2 * pair + 1, later);
    for (Index j = 0; j < kLanes; ++j) to[j] = earlier[j] | later[j] >> 16;
}

template <class Word>
inline void lay_words(Word* to, const Matrix& B, Index K, Index N, Precision precision) {
    const StripBlocks blocks(K, N, precision);
    parallel_for(blocks.count, double(blocks.slots * kMostStrips * kLanes), [=](Index block) {
        const Index first = blocks.first(block), end = blocks.first(block + 1);
        Word* at = to + first * blocks.slots * kLanes;
        for (Index slot = 0; slot < blocks.slots; ++slot)
            for (Index strip = first; strip < end; ++strip, at += kLanes)
                put_slot(at, B, K, N, slot, strip * kLanes);
    });
}

// to: strips_bytes() bytes, 64-byte aligned
inline void lay_in_strips(void* to, const Matrix& B, Index K, Index N, Precision precision) {
    if (precision == Precision::bf16)
        lay_words(static_cast<std::uint32_t*>(to), B, K, N, precision);
    else
        lay_words(static_cast<Real*>(to), B, K, N, precision);
}

// ---- multiplying: one slot of a strip, and how A is kept beside it

struct OneK {
    using Word = Real;
    static constexpr Index kNumbers = 1;  // of a row of A, for one slot
    static constexpr bool kAsIs = true;   // A is read where it stands
    Lanes b;
    explicit OneK(const Word* words) : b(load(words)) {}
    [[gnu::always_inline]] Lanes multiply_add(const Real* a, Lanes sum) const {
        return fma(all(a[0]), b, sum);
    }
};

// Where K is odd the last number of A is -0, which changes no sum (bf16.h).
#if defined(__AVX512BF16__)
struct TwoK {
    using Word = std::uint32_t;
    static constexpr Index kNumbers = 1;
    static constexpr bool kAsIs = false;
    Lanes b;
    explicit TwoK(const Word* words) : b{_mm512_loadu_ps(words)} {}
    [[gnu::always_inline]] Lanes multiply_add(const Real* a, Lanes sum) const {
        return PackPairs::multiply_add(a[0], b, sum);
    }
    static void keep(Real* to, const Real* from, Index K) {
        for (Index k = 0; k < K; k += 2 * kLanes, to += kLanes)
            store(to, PackPairs::Left::along(from + k, K - k));
    }
};
#else
struct TwoK {
    using Word = std::uint32_t;
    static constexpr Index kNumbers = 2;
    static constexpr bool kAsIs = false;
    Lanes earlier, later;
    explicit TwoK(const Word* words) : earlier(upper_halves(words)), later(lower_halves(words)) {}
    [[gnu::always_inline]] Lanes multiply_add(const Real* a, Lanes sum) const {
        return fma(all(a[1]), later, fma(all(a[0]), earlier, sum));
    }
    static void keep(Real* to, const Real* from, Index K) {
        for_lanes(K, [&](Index k, auto part) {
            store(to + k, round_to_bf16(load(from + k, part)), part);
        });
        if (K % 2) to[K] = Real(-0.0);
    }
};
#endif

template <class Slot, int Rows>
class ProductOfStrips {
  public:
    using Word = typename Slot::Word;

    ProductOfStrips(const Gemm& g, const void* strips, [[maybe_unused]] Workspace& workspace)
        : g_(g),
          blocks_(g.K, g.N, g.precision),
          words_(static_cast<const Word*>(strips)),
          a_(g.A.data),
          row_(g.A.row) {
        if constexpr (!Slot::kAsIs) {
            row_ = round_up(blocks_.slots * Slot::kNumbers, kLanes);
            Real* kept = workspace.shared(Rows * row_);
            for (Index m = 0; m < Rows; ++m) Slot::keep(kept + m * row_, a_ + m * g.A.row, g.K);
            a_ = kept;
        }
    }

    void run() {
        parallel_for(blocks_.count, double(Rows * g_.K * kMostStrips), [this](Index block) {
            const Index first = blocks_.first(block), strips = blocks_.first(block + 1) - first;
            const Word* words = words_ + first * blocks_.slots * kLanes;
            for (Index done = 0; done < strips;)
                done += add(strips - done, (first + done) * kLanes, words + done * kLanes,
                            strips * kLanes);
            const Index n = first * kLanes, width = smaller_of(strips * kLanes, g_.N - n);
            if (g_.finish != Finish::none) finish_rows(g_, 0, Rows, n, width);
        });
    }

  private:
    // As many strips at once as there are registers for their sums
    static constexpr Index kAtOnce = kTileRows * kTileVectors / Rows;
    static constexpr Index kMost = kAtOnce < 1 ? 1 : kAtOnce < kMostStrips ? kAtOnce : kMostStrips;

    // Computes the columns from n on, of at most Most of the `strips` strips, and returns of how
    // many strips. `words` are those of the first; the next slot is `step` words further.
    template <Index Most = kMost>
    Index add(Index strips, Index n, const Word* words, Index step) const {
        if constexpr (Most > 1)
            if (strips < Most) return add<Most - 1>(strips, n, words, step);
        add_strips<Most>(n, words, step);
        return Most;
    }

    template <Index Strips>
    [[gnu::noinline]] void add_strips(Index n, const Word* words, Index step) const {
        Lanes sum[std::size_t(Rows)][std::size_t(Strips)];
        const auto part = [&](Index v) { return First{smaller_of(kLanes, g_.N - n - v * kLanes)}; };
#pragma GCC unroll 4
        for (int m = 0; m < Rows; ++m)
#pragma GCC unroll 6
            for (int v = 0; v < Strips; ++v) sum[m][v] = start(m, n + v * kLanes, part(v));
        const Real* a = a_;
        for (Index slot = 0; slot < blocks_.slots; ++slot, words += step, a += Slot::kNumbers) {
#pragma GCC unroll 6
            for (int v = 0; v < Strips; ++v) {
                const Slot b(words + v * kLanes);
#pragma GCC unroll 4
                for (int m = 0; m < Rows; ++m) sum[m][v] = b.multiply_add(a + m * row_, sum[m][v]);
            }
        }
#pragma GCC unroll 4
        for (int m = 0; m < Rows; ++m)
#pragma GCC unroll 6
            for (int v = 0; v < Strips; ++v)
                store(g_.C.data + m * g_.stride + n + v * kLanes, sum[m][v], part(v));
    }

    [[gnu::always_inline]] Lanes start(Index m, Index n, First part) const {
        if (g_.C.add) return load(g_.C.data + m * g_.stride + n, part);
        return g_.bias ? load(g_.bias + n, part) : all(0);
    }

    const Gemm& g_;
    const StripBlocks blocks_;
    const Word* const words_;
    const Real* a_;  // A, as Slot wants it …
    Index row_;      // … and how far its rows stand apart
};

template <int Rows>
inline void product_of_strips(const Gemm& g, const void* strips, Workspace& workspace) {
    if (g.precision == Precision::bf16)
        ProductOfStrips<TwoK, Rows>(g, strips, workspace).run();
    else
        ProductOfStrips<OneK, Rows>(g, strips, workspace).run();
}

}  // namespace
}  // namespace zhuyi::ZHUYI_INSTRUCTION_SET
