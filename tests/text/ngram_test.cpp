// What counting alone can do, held against a pencil and against what is known of a text.
#include "text/ngram.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "support/close.h"
#include "text/corpus.h"

using namespace zhuyi;

namespace {

// The last tenth of the characters is held out.
NgramLosses losses(const std::string& text) {
    TextOptions options;
    options.split = Split::tail;
    return ngram_losses(Corpus::from({{"text", text}}, options));
}

}  // namespace

// One document of ten characters: aababaaab is counted, "a" and the end are held out. V = 257 + 2.
TEST_CASE("n-grams: aababaaab, counted with a pencil") {
    const NgramLosses found = losses("aababaaaba");
    const double even = 1.0 / 259;
    // No count is 1 or none is 2: then D = 1/2. a 6 times, b 3 times; the end never.
    const auto unigram = [&](double n) { return (std::max(n - 0.5, 0.0) + 0.5 * 2 * even) / 9; };
    CHECK(close(found.unigram, -(std::log(unigram(6)) + std::log(unigram(0))) / 2, 1e-12));

    // Pairs: ·a once, aa 3, ab 3, ba 2 times. n₁ = 1, n₂ = 1: D = 1/3. a stands after three
    // different tokens (·, a, b), b after one: D = 1/2 again, as no count is 2.
    const double D = 1.0 / 3;
    const auto lowest = [&](double n) { return (std::max(n - 0.5, 0.0) + 0.5 * 2 * even) / 4; };
    // A part is read like a document: "a" comes after an end, the end after "a".
    const double a = (1 - D + D * 1 * lowest(3)) / 1;
    const double end = (0 + D * 2 * lowest(0)) / 6;
    CHECK(close(found.bigram, -(std::log(a) + std::log(end)) / 2, 1e-12));
    CHECK(found.whole);
}

TEST_CASE("n-grams: nothing is learned from noise, and all from what repeats") {
    std::string noise, period;
    const Random random(1, Stream::sampling, 0);
    for (Index i = 0; i < 60000; ++i) {
        noise += static_cast<char>('a' + random.below(16, i));
        period += "aabb"[i % 4];  // after one character two may follow, after two only one
    }
    const NgramLosses chance = losses(noise), certain = losses(period);
    CHECK(close(chance.unigram, std::log(16.0), 5e-3));  // the end never came before
    CHECK(chance.bigram > std::log(16.0));  // no model can be better: what it counted is chance
    CHECK(chance.trigram > std::log(16.0));
    CHECK(chance.bigram < std::log(16.0) + 0.02);
    CHECK(close(certain.unigram, std::log(2.0), 5e-3));
    CHECK(close(certain.bigram, std::log(2.0), 5e-3));
    CHECK(certain.trigram < 0.01);
}

TEST_CASE("n-grams: a character that is not in the training part is spelt in bytes") {
    const NgramLosses found = losses("小猫小猫小猫小猫小龘");
    // 龘 is three bytes that never came: each has a part of what the discount took away
    CHECK(found.unigram > std::log(3.0));
    CHECK(std::isfinite(found.trigram));
}
