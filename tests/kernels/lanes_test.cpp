// The portable lanes and what is built on them, one by one; that the other instruction sets agree
// is seen in the kernels' tests.
#define ZHUYI_INSTRUCTION_SET lanes_under_test
#define ZHUYI_COUNT_SMALLEST
#include "support/smallest.h"

#include "kernels/elementary.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/math.h"
#include "kernels/everywhere.h"
#include "kernels/pack.h"

namespace zhuyi::lanes_under_test {
namespace {

Real first(Lanes x) {
    Real numbers[16];
    store(numbers, x);
    return numbers[0];
}

TEST_CASE("exp of a vector is near the true one all over its range") {
    double worst = 0;
    const double least = kDouble ? -700 : -86.9, most = kDouble ? 700 : 87.9;
    for (double x = least; x < most; x += 0.00917) {
        const double truth = math::exp(double(Real(x)));
        worst = std::max(worst, std::abs(double(first(exp(all(Real(x))))) - truth) / truth);
    }
    CHECK(worst < (kDouble ? 1e-14 : 2e-7));
    CHECK(first(exp(all(0))) == 1);
    CHECK(first(exp(all(-1e30f))) < 2e-38);
    CHECK(first(exp(all(1e30f))) > 1e38);
    const Real nan = first(exp(all(Real(std::nan("")))));
    CHECK(nan != nan);
}

TEST_CASE("results that ARM and x86 flush differently are counted") {
    const Lanes one = all(1), least = all(Real(0x1p-126)), none = all(0);
    const Smallest before = smallest();
    CHECK(first(one * least) == Real(0x1p-126));
    CHECK(first(least / one) == Real(0x1p-126));
    CHECK(first(fma(one, least, none)) == Real(0x1p-126));
    CHECK(first(one * all(Real(0x1.8p-126))) == Real(0x1.8p-126));
    CHECK(smallest().all - before.all == 48);
    CHECK(smallest().below == before.below);
    count_result(0x1p-126f, 0x1.fffffcp-64f, 0x1.000002p-63f, 0.0f);  // 2^-126 (1 - 2^-46)
    CHECK(smallest().below - before.below == 1);

    CHECK(lies_below(0x1.fffffcp-64f, -0x1.000002p-63f, 0));
    CHECK(!lies_below(0x1.000002p-64f, 0x1.fffffep-63f, 0));  // 2^-126 (1 + 2^-24 - …)
    CHECK(lies_below(0x1p-100f, -0x1p-51f, 0x1p-126f));       // 2^-126 (1 - 2^-25)
    CHECK(lies_below(0x1p-100f, -0x1p-90f, 0x1p-126f));       // double rounds it away
    CHECK(!lies_below(0x1p-100f, 0x1p-90f, 0x1p-126f));
    CHECK(lies_below(0x1.fffffep-126f, 0x1p+1f));
    CHECK(!lies_below(0x1p-126f, 1));
}

TEST_CASE("the sum of lanes is a fixed tree: 8, 4, 2, 1") {
    Real x[16], tree[16];
    const std::vector<Real> numbers = random_numbers(16, 3);
    std::copy(numbers.begin(), numbers.end(), x);
    std::copy(numbers.begin(), numbers.end(), tree);
    for (int half : {8, 4, 2, 1})
        for (int i = 0; i < half; ++i) tree[i] += tree[i + half];
    CHECK(sum(load(x)) == tree[0]);
    CHECK(maximum(load(x)) == *std::max_element(x, x + 16));
}

TEST_CASE("parts of vectors touch what they should and nothing else") {
    const std::vector<Real> x = random_numbers(16, 1), y = random_numbers(16, 2);
    for (Index n = 0; n <= 16; ++n) {
        Real loaded[16], stored[16], chosen[16];
        store(loaded, load(x.data(), First{n}));
        std::copy(y.begin(), y.end(), stored);
        store(stored, load(x.data()), First{n});
        store(chosen, choose(load(x.data()), load(y.data()), First{n}));
        for (Index i = 0; i < 16; ++i) {
            const auto at = std::size_t(i);
            CHECK(loaded[i] == (i < n ? x[at] : 0));
            CHECK(stored[i] == (i < n ? x[at] : y[at]));
            CHECK(chosen[i] == (i < n ? x[at] : y[at]));
        }
    }
}

TEST_CASE("a fused multiply-add rounds once, also where the processor has none") {
    if (kDouble) return;
    const auto fused = [](float a, float b, float c) {
        return float(first(fma(all(Real(a)), all(Real(b)), all(Real(c)))));
    };
    const float tiny = 0x1p-12f;
    CHECK(fused(1 + tiny, 1 + tiny, -1) == std::fma(1 + tiny, 1 + tiny, -1.0f));
    // The trap of a detour through double: the exact sum lies just beside a tie of two floats, and
    // rounding it to double first puts it onto the tie.
    CHECK(fused(0x1.000002p0f, 0x1.000002p0f, 0x1p-60f) ==
          std::fma(0x1.000002p0f, 0x1.000002p0f, 0x1p-60f));
    CHECK(fused(0x1.fffffep0f, 0x1.fffffep0f, 0x1p-70f) ==
          std::fma(0x1.fffffep0f, 0x1.fffffep0f, 0x1p-70f));
    const Random random(5, Stream::initialisation, 0);
    Index different = 0;
    for (Index i = 0; i < 300000; ++i) {
        // Few significant bits and exponents near each other: ties and cancellations are frequent.
        const auto draw = [&](Index j) {
            const std::uint64_t bits = random.bits(3 * i + j);
            const auto pattern =
                std::uint32_t((bits & 0x80000fffu) | ((bits >> 33 & 0x7ffu) << 12) |
                              ((110u + std::uint32_t(bits >> 60) * 2) << 23));
            float x;
            std::memcpy(&x, &pattern, 4);
            return x;
        };
        const float a = draw(0), b = draw(1), c = draw(2);
        different += fused(a, b, c) != std::fma(a, b, c);
    }
    CHECK(different == 0);
    const float inf = __builtin_inff();
    CHECK(fused(inf, 1, 1) == inf);
    CHECK(fused(-inf, 1, 1) == -inf);
    CHECK(fused(3e38f, 10, 0) == inf);
    CHECK(fused(-3e38f, 10, 0) == -inf);
    const float nan = fused(inf, 1, -inf);
    CHECK(nan != nan);
}

TEST_CASE("rounding to bf16 agrees with the readable one, bit for bit") {
    if (kDouble) return;
    for (std::uint64_t pattern = 0; pattern < (1ull << 32); pattern += 3571) {
        const auto bits = std::uint32_t(pattern);
        float x, expected;
        std::memcpy(&x, &bits, 4);
        expected = float(reference::round_to_bf16(Real(x)));
        const auto found = float(first(round_to_bf16(all(Real(x)))));
        if (x != x)
            REQUIRE(found != found);
        else
            REQUIRE(std::memcmp(&found, &expected, 4) == 0);
    }
}

TEST_CASE("packing: a strip from either direction") {
    const std::vector<Real> x = random_numbers(40 * 40, 1);
    for (Index K : {1, 15, 16, 17, 33})
        for (Index lanes : {1, 7, 16}) {
            std::vector<Real> across(std::size_t(K * 16), 7), along = across, apart = across;
            pack_strip<PackExact, 16>(across.data(), 16, x.data(), 1, 40, lanes, K);
            pack_strip<PackExact, 16>(along.data(), 16, x.data(), 40, 1, lanes, K);
            pack_strip<PackExact, 16>(apart.data(), 16, x.data(), 30, 2, lanes, K);
            for (Index k = 0; k < K; ++k)
                for (Index i = 0; i < lanes; ++i) {
                    const auto at = std::size_t(k * 16 + i);
                    CHECK(across[at] == x[std::size_t(k * 40 + i)]);
                    CHECK(along[at] == x[std::size_t(i * 40 + k)]);
                    CHECK(apart[at] == x[std::size_t(i * 30 + k * 2)]);
                }
        }
}

}  // namespace
}  // namespace zhuyi::lanes_under_test
