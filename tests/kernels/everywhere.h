// One kernel, run by the reference and by every table this machine has, with several numbers of
// threads: the reference must be near, and all the others must be equal to each other bit for bit.
#pragma once
#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "base/random.h"
#include "kernels/kernels.h"
#include "support/close.h"
#include "support/reference.h"

namespace zhuyi {
inline namespace support {

constexpr bool kDouble = sizeof(Real) == sizeof(double);

// What a kernel left in memory, outputs of any type as doubles one after the other.
using Outputs = std::vector<double>;

inline std::vector<Real> random_numbers(Index count, std::uint64_t seed, double deviation = 1) {
    const Random random(seed, Stream::initialisation, 0);
    std::vector<Real> numbers(std::size_t(count) + 16);  // never empty
    for (Index i = 0; i < count; ++i) numbers[std::size_t(i)] = Real(deviation * random.normal(i));
    numbers.resize(std::size_t(count));
    return numbers;
}

inline std::vector<Token> random_tokens(Index count, std::uint64_t seed, Index vocabulary) {
    const Random random(seed, Stream::initialisation, 1);
    std::vector<Token> tokens(std::size_t(count), 0);
    for (Index i = 0; i < count; ++i) tokens[std::size_t(i)] = Token(random.below(vocabulary, i));
    return tokens;
}

template <class Numbers>
void append(Outputs& outputs, const Numbers& numbers) {
    outputs.insert(outputs.end(), numbers.begin(), numbers.end());
}

inline std::vector<const Kernels*> tables() {
    std::vector<const Kernels*> found;
    for (const char* name : {"portable", "avx2", "avx512", "avx512bf16"})
        if (const Kernels* table = kernels_named(name)) found.push_back(table);
    return found;
}

class ThreadCount {
  public:
    explicit ThreadCount(int threads) { set_thread_count(threads); }
    ~ThreadCount() { set_thread_count(0); }
};

// run(table, workspace) -> Outputs. Zero and minus zero differ, a NaN equals every NaN.
template <class Run>
void check_everywhere(const std::string& what, const Run& run, double abs, double rel) {
    CAPTURE(what);
    Workspace workspace;
    const Outputs expected = run(reference::kernels(), workspace);
    const Outputs first = run(*tables().front(), workspace);
    REQUIRE(first.size() == expected.size());
    std::size_t far = 0;
    while (far < first.size() && close(first[far], expected[far], abs, rel)) ++far;
    CAPTURE(far);
    if (far < first.size()) CHECK(first[far] == expected[far]);

    for (const Kernels* table : tables())
        for (int threads : {1, 2, 3, 5}) {
            const std::string name = table->name;
            CAPTURE(name);
            CAPTURE(threads);
            const ThreadCount guard(threads);
            const Outputs here = run(*table, workspace);
            std::size_t same = 0;
            while (same < first.size() &&
                   (std::memcmp(&here[same], &first[same], 8) == 0 ||
                    (here[same] != here[same] && first[same] != first[same])))
                ++same;
            CAPTURE(same);
            if (same < first.size()) CHECK(here[same] == first[same]);
            REQUIRE(same == first.size());
        }
}

}  // namespace support
}  // namespace zhuyi
